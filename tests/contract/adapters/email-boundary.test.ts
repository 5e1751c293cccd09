import {ImapFlow} from "imapflow"
import * as parser from "mailparser"
import {expect, onTestFinished, test} from "vitest"
import {readLetters, readTexts} from "../../../server/adapters/email/content/letters.ts"
import {createLogs} from "../../../server/runtime/logs/log.ts"
import {describeWith} from "../../support/machine/tools.ts"
import {mailboxPassword, startDovecot} from "../../support/platforms/email/dovecot.ts"

const head = "From: Ann <ann@people.test>\r\nSubject: hi\r\nMIME-Version: 1.0\r\n"
const part = (type: string, text: string) =>
  `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(text).toString("base64")}\r\n`
const multipart = (type: string) => `${head}Content-Type: multipart/${type};\r\n charset=utf-8\r\n\r\n`

const mails: readonly string[] = [
  `${multipart("alternative")}--b1\r\n${part("text/plain", "grüße")}--b1\r\n${part("text/html", "<p>grüße")}--b1--\r\n`,
  `${multipart("mixed")}preamble\r\n--=_b 1\r\n--b2\r\n${part("text/plain", "grüße")}`,
  `${multipart("mixed")}grüße\r\n`,
]

describeWith("dovecot")("at a real Dovecot", () => {
  test("a multipart without its boundary keeps its text, and a warning says so", async () => {
    const dovecot = await startDovecot(["bot"])
    onTestFinished(dovecot.kill)
    const auth = {user: "bot", pass: mailboxPassword}
    const client = new ImapFlow({host: "127.0.0.1", port: dovecot.port, secure: false, auth, logger: false})
    await client.connect()
    onTestFinished(() => client.close())
    for (const source of mails) dovecot.deliver("bot", source)
    await client.mailboxOpen("INBOX")
    const records: string[] = []
    const {log} = createLogs({level: "warn", format: "json", colors: false, write: line => records.push(line)})
    const tools = {client, parser, trusted: undefined, log}
    const said: string[] = []
    for (const letter of await readLetters(tools, [1, 2, 3]))
      said.push(...(await readTexts(tools, letter)).texts.map(({text}) => text.trim()))
    expect(said).toEqual(mails.map(() => "grüße"))
    expect(records).toHaveLength(mails.length)
  })
})
