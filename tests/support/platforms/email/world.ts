import {type ParsedMail, simpleParser} from "mailparser"
import {type HostOptions, type InboxItem, inboxOf, startHost, type TestHost, until} from "../../host/host.ts"
import {cardCommand} from "../../messages/card-command.ts"
import {pluginWith} from "../../plugins/plugin-sources.ts"
import {type EndpointView, untilState} from "../endpoint.ts"
import {type Dovecot, mailboxPassword, startDovecot} from "./dovecot.ts"
import {type LetterOptions, letter} from "./letter.ts"
import {type MailServer, type MailServerOptions, startMailServer, type Taken} from "./smtp.ts"

/** The addresses whose mail the SMTP server puts into a mailbox of Dovecot. */
const mailboxes: Readonly<Record<string, string>> = {
  "bot@svc.test": "bot",
  "second@svc.test": "second",
  "ann@people.test": "ann",
}

/** A Dovecot with mailboxes, an SMTP server that delivers into them, and the bot's accounts. */
export interface MailWorld {
  readonly dovecot: Dovecot
  readonly smtp: MailServer
  account(more?: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
  write(mail: LetterOptions): void
  /** The mails to an address so far, in order. */
  sentTo(address: string): Promise<readonly ParsedMail[]>
  untilSent(address: string, count: number): Promise<readonly ParsedMail[]>
}

export interface MailWorldOptions extends MailServerOptions {
  /** Added to the configuration of Dovecot. */
  readonly dovecot?: string
}

export const startMailWorld = async ({dovecot: more, ...options}: MailWorldOptions = {}): Promise<MailWorld> => {
  const dovecot = await startDovecot(["bot", "second", "ann"], more)
  const smtp = await startMailServer({
    ...options,
    pass: mail => {
      for (const address of mail.to) {
        const user = mailboxes[address]
        if (user !== undefined) dovecot.deliver(user, mail.source)
      }
      options.pass?.(mail)
    },
  })
  const read = async ({source}: Taken) => {
    const mail = await simpleParser(source)
    return {...mail, text: mail.text?.replace(/\n$/, "") ?? ""}
  }
  const sentTo = (address: string) => Promise.all(smtp.taken.filter(({to}) => to.includes(address)).map(read))
  const place = {host: "127.0.0.1", tls: "none", user: "bot", password: "${MAIL_PASSWORD}"}
  return {
    dovecot,
    smtp,
    account: (changes = {}) => ({
      id: "one",
      address: "bot@svc.test",
      name: "Bot",
      imap: {...place, port: dovecot.port},
      smtp: {...place, port: smtp.port},
      ...changes,
    }),
    write: mail => dovecot.deliver("bot", letter(mail)),
    sentTo,
    untilSent: (address, count) =>
      until(`${count} mails to ${address}`, async () => {
        const mails = await sentTo(address)
        return mails.length >= count && mails
      }),
  }
}

const bot = pluginWith(`
    plugin.command("greet <name:string>", ({args}) => ["hello ", h("b", args.name)])
    ${cardCommand}
    plugin.command("who", ({session}) => session.user.id + " " + (session.user.account ?? "unknown"))
    plugin.command("picture", () => ["look", h("img", {src: Uint8Array.from([137, 80, 78, 71]), title: "a.png", type: "image/png"})])
    plugin.command("inject", () => [h("email:subject", "a\\r\\nBcc: eve@people.test"), "x\\r\\n.\\r\\nBcc: eve@people.test\\r\\n\\r\\n<b>y</b>"])
    const age = plugin.prompt("age", ({answer}) => "you are " + answer)
    plugin.command("ask", ({session}) => session.prompt(age, "how old?"))
    plugin.on("message-created", async session => {
      if (session.text === "again and again") await session.send("again and again")
      if (session.text !== "weigh") return
      const sizes = []
      for (const file of session.files) {
        let size = 0
        for await (const piece of await file.read()) size += piece.length
        sizes.push(file.element.type + " " + file.name + " " + size)
      }
      await session.reply(sizes.join(", "))
    })`)

export const startMailHost = (
  accounts: readonly Readonly<Record<string, unknown>>[],
  options: Omit<HostOptions, "config" | "plugins"> = {},
): Promise<TestHost> =>
  startHost({
    ...options,
    config: JSON.stringify({http: {port: 0}, plugins: {bot: {}, email: {endpoints: accounts}}}),
    plugins: {bot},
    env: {MAIL_PASSWORD: mailboxPassword, WRONG_PASSWORD: "another-one-for-mail", ...options.env},
  })

export const untilMail = (host: TestHost, state: string, id = "one"): Promise<EndpointView> =>
  untilState(host, `email~${id}`, state)

export const untilInbox = (host: TestHost, count: number): Promise<readonly InboxItem[]> =>
  until(`${count} events in the inbox`, async () => {
    const items = await inboxOf(host)
    return items.length >= count && items
  })
