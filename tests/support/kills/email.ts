import {simpleParser} from "mailparser"
import {layCable} from "../machine/cable.ts"
import {mailboxPassword, startDovecot} from "../platforms/email/dovecot.ts"
import {letter} from "../platforms/email/letter.ts"
import {startMailServer} from "../platforms/email/smtp.ts"
import {type KillPlatform, noting} from "./platform.ts"

/** All mails belong to one thread, and so to one conversation. */
const thread = {References: "<thread@people.test>"}

/** Mail, at a real Dovecot and a real SMTP server. */
export const emailUnderKills = async (): Promise<KillPlatform> => {
  const dovecot = await startDovecot(["bot"])
  const cable = await layCable(dovecot.port)
  const smtp = await startMailServer()
  const place = {host: "127.0.0.1", tls: "none", user: "bot", password: "${MAIL_PASSWORD}"}
  const texts = new Map<string, string>()
  const connections = () => cable.open + smtp.connections
  return {
    name: "email",
    account: {
      address: "bot@svc.test",
      imap: {...place, port: cable.port},
      smtp: {...place, port: smtp.port},
      answers: {most: 100_000, minutes: 1},
    },
    env: {MAIL_PASSWORD: mailboxPassword},
    replays: true,
    hasHistory: false,
    dropsRepeats: false,
    tellsRepeats: true,
    takesActs: false,
    ...noting((text, n) => {
      const id = `said-${n}@people.test`
      texts.set(`<${id}>`, text)
      dovecot.deliver("bot", letter({text, id, headers: thread}))
    }),
    launching: () => {
      cable.cut()
      cable.join(dovecot.port)
    },
    isConnected: () => connections() > 0,
    // A login at Dovecot cannot be observed from outside: only mail in flight counts.
    isConnecting: () => false,
    shown: () =>
      Promise.all(
        smtp.taken.map(async ({source}) => {
          const {text = "", inReplyTo = "", messageId: id = ""} = await simpleParser(source)
          const quotes = texts.get(inReplyTo)
          return {text: text.trim(), id, ...(quotes === undefined ? {} : {quotes})}
        }),
      ),
    liked: async () => [],
  }
}
