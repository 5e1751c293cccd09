import {simpleParser} from "mailparser"
import {threadOf} from "../../../server/adapters/email/mailbox/ids.ts"
import type {AdapterUnderTest, FileUnderTest, Heard} from "../../../server/testing/adapter/conformance.ts"
import {layCable} from "../machine/cable.ts"
import {mailboxPassword, startDovecot} from "../platforms/email/dovecot.ts"
import {letter} from "../platforms/email/letter.ts"
import {startMailServer, type Taken} from "../platforms/email/smtp.ts"

const root = "root@people.test"

const heardIn = async ({source, at}: Taken): Promise<Heard> => {
  const {text = "", attachments} = await simpleParser(source)
  const files = attachments.map(({filename = "", content}) => ({name: filename, bytes: new Uint8Array(content)}))
  return {text: text.replace(/\n$/, ""), at, files}
}

/** The built-in adapter `email` between a real Dovecot and a real SMTP server. */
export const email: AdapterUnderTest = {
  use: "email",
  name: "email",
  env: {MAIL_PASSWORD: mailboxPassword, WRONG_PASSWORD: "another-one-for-mail"},
  platform: async defer => {
    const dovecot = await startDovecot(["bot"])
    defer(dovecot.kill)
    const cable = await layCable(dovecot.port)
    const smtp = await startMailServer()
    const place = {host: "127.0.0.1", tls: "none", user: "bot", password: "${MAIL_PASSWORD}"}
    const account = {
      id: "one",
      address: "bot@svc.test",
      imap: {...place, port: cable.port},
      smtp: {...place, port: smtp.port},
    }
    let last = ""
    const say = (text: string, files: readonly FileUnderTest[] = []) => {
      last = letter({...(files.length > 0 ? {} : {text}), files, headers: {References: `<${root}>`}})
      dovecot.deliver("bot", last)
    }
    return {
      account,
      refused: {...account, imap: {...account.imap, password: "${WRONG_PASSWORD}"}},
      hostile: ({port, isSecure}) => ({
        account: {...account, imap: {...account.imap, port, tls: isSecure ? "tls" : "none"}},
      }),
      channel: `ann@people.test/${threadOf(root)}`,
      user: "bob@people.test",
      say: async text => say(text),
      sayFile: async file => say("", [file]),
      repeat: async () => dovecot.deliver("bot", last),
      heard: () => Promise.all(smtp.taken.map(heardIn)),
      cut: () => {
        cable.cut()
        cable.join(dovecot.port)
      },
      connections: () => cable.open + smtp.connections,
      slowDown: milliseconds => {
        const text = `4.7.1 Greylisted, please try again in ${milliseconds / 1000} seconds`
        smtp.refuseNext({stage: "to", code: 451, text})
      },
    }
  },
}
