import type {MessageStructureObject} from "imapflow"
import {describe, expect, test} from "vitest"
import {outlineOf} from "../../../../server/adapters/email/content/body.ts"
import {AnswerLimit} from "../../../../server/adapters/email/send/answer-limit.ts"
import {compose} from "../../../../server/adapters/email/send/compose.ts"
import {explainSend, waitIn} from "../../../../server/adapters/email/send/smtp.ts"
import {answerSubject, lineageOf} from "../../../../server/adapters/email/send/threads.ts"
import {h, type Node, Secret, type StoredFile} from "../../../../shared/sdk/sdk.ts"

const png: StoredFile = {
  sha256: "0",
  size: 3,
  name: "a\r\nb.png",
  type: "image/png",
  stream: () => new Blob(["abc"]).stream(),
}

const composed = (...content: Node[]) =>
  compose(content, async ({attrs}) => (attrs.src === "internal:png" ? png : undefined), "m@svc.test")

test.each([
  ["text", ["a <b> & c\nd"], "a <b> & c\nd", undefined],
  ["markup", ["a ", h("b", "<i>")], "a <i>", "a <b>&lt;i&gt;</b>"],
  [
    "a link",
    [h("a", {href: "https://x.test/?a&b"}, "x")],
    "x (https://x.test/?a&b)",
    '<a href="https://x.test/?a&amp;b">x</a>',
  ],
  ["a link that runs something", [h("a", {href: "javascript:x"}, "x")], "x (javascript:x)", "x"],
  [
    "an attribute that ends early",
    [h("a", {href: 'https://x.test/"onclick="y'}, "x")],
    'x (https://x.test/"onclick="y)',
    '<a href="https://x.test/&quot;onclick=&quot;y">x</a>',
  ],
  ["a mention", ["hi ", h("at", {id: "ann@x.test", name: "Ann"})], "hi @Ann", undefined],
  ["paragraphs", [h("p", "a"), h("p", "b")], "a\nb", undefined],
  ["an element that HTML lacks", [h("x-unknown", h("spl", "a"))], "a", "a"],
  ["a quotation", [h("quote", {id: "q@x"}), "a"], "a", undefined],
])("composes %s", async (_, content, text, html) => {
  const mail = await composed(...content)
  expect({text: mail.text, html: mail.html}).toEqual({text, html})
})

test("a picture is in the HTML, and its name is removed from the text", async () => {
  const mail = await composed("see", h("img", {src: "internal:png", title: "a.png"}))
  expect(mail).toMatchObject({text: "see", html: 'see<img src="cid:0.m@svc.test" alt="a b.png">'})
  expect(mail.attachments).toMatchObject([{filename: "a b.png", contentType: "image/png", cid: "0.m@svc.test"}])
})

test("a new mail's subject is its first line or its email:subject, in one line", async () => {
  expect((await composed("hello\nBcc: eve@x.test")).subject).toBe("hello Bcc: eve@x.test")
  expect((await composed("x".repeat(500))).subject).toHaveLength(78)
  const mail = await composed(h("email:subject", "Report\r\nBcc: eve@x.test"), "the text")
  expect(mail).toMatchObject({subject: "Report Bcc: eve@x.test", text: "the text"})
  expect(mail.html).toBeUndefined()
})

test("an answer names its parent and the root, and a long thread loses its middle", () => {
  const end = {messageId: "m@x", references: ["r@x", "p@x"], subject: ""}
  expect(lineageOf(end, undefined)).toEqual({inReplyTo: "<m@x>", references: ["<r@x>", "<p@x>", "<m@x>"]})
  expect(lineageOf(end, "p@x")).toEqual({inReplyTo: "<p@x>", references: ["<r@x>", "<p@x>", "<m@x>"]})
  expect(lineageOf(end, "p@x>\r\nBcc: <eve@x")).toMatchObject({inReplyTo: "<p@x>"})
  expect(lineageOf({...end, messageId: undefined, references: []}, undefined)).toEqual({references: []})
  const {references} = lineageOf({...end, references: Array.from({length: 90}, (_, n) => `${n}@x`)}, undefined)
  expect([references.length, references[0], references.at(-1)]).toEqual([20, "<0@x>", "<m@x>"])
})

test.each([
  ["hello", "Re: hello"],
  ["Re: hello", "Re: hello"],
  ["AW: hallo", "AW: hallo"],
  ["RE[2]: x", "RE[2]: x"],
  ["Regarding x", "Re: Regarding x"],
  ["", "Re:"],
])("the answer to %j is %j", (subject, answer) => expect(answerSubject(subject)).toBe(answer))

const account = {
  address: "bot@svc.test",
  imap: {host: "imap.gmail.com", user: "bot", password: new Secret("x")},
  smtp: {host: "smtp.gmail.com", user: "bot", password: new Secret("x")},
}

const failure = (more: object) => Object.assign(new Error("failed"), more)

describe("a server's reply to a mail", () => {
  const answers = [
    [{code: "EAUTH", responseCode: 535, response: "535 5.7.8 no"}, "account", "credentials"],
    [{code: "EENVELOPE", responseCode: 530, response: "530 5.7.0 Authentication required"}, "account", "credentials"],
    [{code: "EAUTH", responseCode: 454, response: "454 4.7.0 Temporary"}, "later", undefined],
    [
      {code: "EENVELOPE", command: "RCPT TO", responseCode: 550, response: "550 5.1.1 nobody"},
      "refused",
      "recipient_refused",
    ],
    [
      {code: "EENVELOPE", command: "MAIL FROM", responseCode: 553, response: "553 not yours"},
      "refused",
      "sender_refused",
    ],
    [{code: "EMESSAGE", command: "DATA", responseCode: 554, response: "554 spam"}, "refused", "rejected"],
    [{code: "EMESSAGE", command: "DATA", responseCode: 552, response: "552 5.3.4 too big"}, "refused", "too_large"],
    [{code: "EMESSAGE", command: "MAIL FROM", message: "Message size larger than allowed 10"}, "refused", "too_large"],
    [
      {code: "EENVELOPE", command: "RCPT TO", responseCode: 552, response: "552 5.2.2 mailbox full"},
      "refused",
      "recipient_refused",
    ],
    [{code: "EENVELOPE", command: "RCPT TO", responseCode: 451, response: "451 greylisted"}, "later", undefined],
    [{code: "ECONNECTION"}, "failed", undefined],
  ] as const
  test.each(answers)("%j", (error, is, reason) => {
    const explained = explainSend(failure(error), account)
    expect({is: explained.is, reason: "reason" in explained.error ? explained.error.reason : undefined}).toEqual({
      is,
      reason,
    })
  })

  test("a refused login names the provider's requirement", () => {
    const {error} = explainSend(failure({code: "EAUTH", responseCode: 535}), account)
    expect(error).toMatchObject({remediation: expect.stringContaining("https://myaccount.google.com/apppasswords")})
  })

  test.each([
    ["451 4.7.1 Greylisted, please try again in 300 seconds", 300_000],
    ["451 come back in 00:04:59", 299_000],
    ["450 try again in 5 minutes", 300_000],
    ["421 retry after 2 hours", 7_200_000],
    ["451 4.7.1 Try again later", 60_000],
    ["451 in 3 steps", 60_000],
  ])("%s", (said, wait) => expect(waitIn(said)).toBe(wait))
})

test("an address gets a limited number of answers within a time", () => {
  const limit = new AnswerLimit({answers: {most: 2, minutes: 1}})
  for (const at of [0, 1000]) {
    limit.require("ann@x.test", at)
    limit.count("ann@x.test", at)
  }
  expect(() => limit.require("ann@x.test", 2000)).toThrow("got 2 answers within 1 minutes")
  limit.require("bob@x.test", 2000)
  limit.require("ann@x.test", 60_500)
})

const text = (part: string, type = "text/plain") => ({part, type})

test("plain text is preferred to HTML, and any other part is a file", () => {
  const alternative = {type: "multipart/alternative", childNodes: [text("1.1"), text("1.2", "text/html")]}
  const picture = {part: "2", type: "image/png", id: "<logo>", dispositionParameters: {filename: "../a\r\n.png"}}
  expect(
    outlineOf({type: "multipart/mixed", childNodes: [alternative, picture, {part: "3", type: "message/rfc822"}]}),
  ).toEqual({
    texts: [{...text("1.1"), otherwise: text("1.2", "text/html")}],
    files: [
      {part: "2", type: "image/png", name: ".._a .png", cid: "logo"},
      {part: "3", type: "message/rfc822", name: "part-3.eml", cid: undefined},
    ],
    more: 0,
  })
})

test("a mail of one part has the number 1; of a thousand files the first ones are listed", () => {
  expect(outlineOf({type: "text/html"}).texts).toEqual([text("1", "text/html")])
  const childNodes = Array.from({length: 1000}, (_, n) => ({part: String(n + 1), type: "application/pdf"}))
  const {files, more} = outlineOf({type: "multipart/mixed", childNodes})
  expect([files.length, more]).toEqual([50, 950])
  const [pair] = outlineOf({
    type: "text/csv",
    disposition: "attachment",
    parameters: {name: "\xd6\xd0\xce\xc4.csv"},
  }).files
  expect(pair?.name).toBe("中文.csv")
  let deep: MessageStructureObject = {type: "image/png"}
  for (let n = 0; n < 100_000; n++) deep = {type: "multipart/mixed", childNodes: [deep]}
  expect(outlineOf(deep)).toEqual({texts: [], files: [], more: 0})
  expect(outlineOf(undefined)).toEqual({texts: [], files: [], more: 0})
})
