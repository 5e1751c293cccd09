import {simpleParser} from "mailparser"
import {describe, expect, test} from "vitest"
import {withBoundedHeaders} from "../../../../server/adapters/email/content/bounded.ts"
import {type Headers, lineOf, readHeaders} from "../../../../server/adapters/email/content/headers.ts"

const read = async (lines: readonly string[], trusted?: string): Promise<Headers> => {
  const own = lines.some(line => /^from:/i.test(line)) ? [] : ["From: Ann <Ann@Example.org>"]
  const mail = Buffer.from(`${[...own, ...lines].join("\r\n")}\r\n\r\n`)
  return readHeaders(await simpleParser(withBoundedHeaders(mail)), trusted)
}

test("the headers give sender, subject and thread", async () => {
  const headers = await read([
    "From: =?utf-8?q?=C3=84nn?= <Ann@Example.org>",
    "Reply-To: other@example.org",
    "Subject: =?utf-8?q?gr=C3=BC=C3=9Fe=0D=0ABcc:_x@y.z?=",
    "Message-ID: <m1@example.org>",
    "In-Reply-To: <p1@svc.test> (a comment)",
    "References: <r1@svc.test>",
    "\t<p1@svc.test>",
    "To: bot@svc.test, group: a@b.test, c@d.test;",
    "Date: Tue, 1 Feb 2022 10:00:00 +0000",
  ])
  expect(headers).toEqual({
    messageId: "m1@example.org",
    inReplyTo: ["p1@svc.test"],
    references: ["r1@svc.test", "p1@svc.test"],
    subject: "grüße Bcc: x@y.z",
    from: {address: "ann@example.org", name: "Änn"},
    replyTo: "other@example.org",
    to: ["bot@svc.test", "a@b.test", "c@d.test"],
    cc: [],
    date: "Tue, 1 Feb 2022 10:00:00 +0000",
    automatic: undefined,
    account: undefined,
  })
})

const automatic: readonly (readonly [string, Headers["automatic"]])[] = [
  ["Auto-Submitted: auto-replied", "automatic"],
  ["Auto-Submitted: auto-generated; owner-email=x", "automatic"],
  ["Auto-Submitted: no", undefined],
  ["Precedence: bulk", "list"],
  ["Precedence: auto_reply", "automatic"],
  ["List-Id: a list <l.example.org>", "list"],
  ["List-Unsubscribe: <https://x.test>", "list"],
  ["X-Auto-Response-Suppress: DR, OOF, AutoReply", "automatic"],
  ["X-Auto-Response-Suppress: DR, RN", undefined],
  ["Return-Path: <>", "bounce"],
  ["Return-Path: <ann@example.org>", undefined],
  ["From: Mail System <MAILER-DAEMON@mx.test>", "bounce"],
  ["Content-Type: multipart/report; report-type=delivery-status; boundary=x", "bounce"],
  ["From: no-reply@shop.test", "automatic"],
  ["X-Loop: bot@svc.test", "automatic"],
  ["X-Autoreply: yes", "automatic"],
  ["X-Autoreply: no", undefined],
  ["X-Autorespond: On leave", "automatic"],
  ["X-Auto-Reply-From: ann@example.org", "automatic"],
  ["X-FC-MachineGenerated: true", "automatic"],
  ["Feedback-ID: 1:campaign:shop", "list"],
  ["List-Post: <mailto:l@example.org>", "list"],
  ["List-Help: <mailto:l-help@example.org>", "list"],
  ["X-Envelope-From: <>", "bounce"],
  ["From: list-request@example.org", "list"],
  ["From: owner-list@example.org", "list"],
  ["Subject: Out of office", undefined],
]

test.each(automatic)("%s is %s", async (line, kind) => expect((await read([line])).automatic).toBe(kind))

test("a form's mail in the name of a person is that person's", async () => {
  expect((await read(["From: no-reply@shop.test", "Reply-To: ann@example.org"])).automatic).toBeUndefined()
})

describe("an account is only what a trusted server vouches for:", () => {
  const pass = "Authentication-Results: mx.svc.test; spf=pass; dmarc=pass (p=reject) header.from=example.org"
  test.each([
    ["a pass", [pass], "ann@example.org"],
    [
      "folded",
      ["Authentication-Results: mx.svc.test 1;", "\tdmarc=pass", "\theader.from=Example.org"],
      "ann@example.org",
    ],
    ["no server's verdict", [], undefined],
    ["another server", [pass.replace("mx.svc.test", "mx.evil.test")], undefined],
    ["a failure", [pass.replace("dmarc=pass", "dmarc=fail")], undefined],
    ["a forged pass below a failure", [pass.replace("dmarc=pass", "dmarc=fail"), pass], undefined],
    ["another domain", [pass.replace("header.from=example.org", "header.from=evil.test")], undefined],
    ["no domain", [pass.replace(" header.from=example.org", "")], undefined],
    [
      "a pass in a comment",
      ["Authentication-Results: mx.svc.test; dmarc=fail (dmarc=pass header.from=example.org)"],
      undefined,
    ],
    [
      "a comment as the server",
      ["Authentication-Results: (mx.svc.test;) mx.evil.test; dmarc=pass header.from=example.org"],
      undefined,
    ],
    ["two senders", ["From: ann@example.org, eve@evil.test", pass], undefined],
    ["two From headers", ["From: eve@evil.test", "From: ann@example.org", pass], undefined],
  ])("%s", async (_, lines, account) => expect((await read(lines, "mx.svc.test")).account).toBe(account))

  test("without a trusted server no sender has an account", async () => {
    expect((await read([pass])).account).toBeUndefined()
  })
})

test("a header line never contains line breaks", () => {
  expect(lineOf("a\r\nBcc: x\0\u2028b\ud800")).toBe("a Bcc: x b\ufffd")
})

test.for([
  ["addresses", "To: ", "a@b.test, "],
  ["groups within groups", "To: ", "g:a@b.test, "],
  ["fields of addresses", "", "To: a@b.test\r\n"],
  ["quotes", "To: ", '"'],
] as const)("of a bomb of %s the beginning is read, and the other headers", async ([, begin, unit]) => {
  const bomb = `${begin}${unit.repeat(256_000 / unit.length)}`.trimEnd()
  expect(withBoundedHeaders(Buffer.from(bomb)).length).toBeLessThan(10_000)
  const {subject} = await read([bomb, "Subject: still here"])
  expect(subject).toBe(unit.includes("\n") ? "" : "still here")
})

test("the body of a mail is never cut", () => {
  const mail = `Subject: ${"x".repeat(9000)}\n\nTo: ${"a:".repeat(9000)}`
  expect(withBoundedHeaders(Buffer.from(mail)).toString()).toBe(`${mail.slice(0, 8192)}${mail.slice(9009)}`)
})
