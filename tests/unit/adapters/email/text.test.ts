import {expect, test} from "vitest"
import {cleanText, withoutQuotes} from "../../../../server/adapters/email/content/text.ts"

test.each([
  ["a text alone", "hello\nthere", "hello\nthere"],
  [
    "a quotation below",
    "yes\n\nOn Mon, 1 Jan 2024 at 10:00, Ann <ann@x.test> wrote:\n> are you there?\n> really?\n",
    "yes",
  ],
  ["an attribution in two lines", "yes\n\nOn Mon, 1 Jan 2024 at 10:00,\nAnn <ann@x.test> wrote:\n\n> hi\n", "yes"],
  ["answers between quotations", "On Monday, Ann wrote:\n> one?\nyes\n> two?\nno\n", "yes\nno"],
  ["an attribution without marks below it", "yes\n\nOn Mon, 1 Jan 2024, Ann wrote:\n\nthe old text", "yes"],
  ["Outlook's divider", "fine\n\n-----Original Message-----\nFrom: Ann\nSent: today\n\nold", "fine"],
  ["German headers", "gut\n\nVon: Ann\nGesendet: Montag\nAn: Bot\nBetreff: hi\n\nalt", "gut"],
  ["a signature", "hello\n-- \nAnn\nAcme Ltd", "hello"],
  ["two hyphens far above the end are text", `a\n--\n${"line\n".repeat(20)}z`, `a\n--\n${"line\n".repeat(20)}z`],
  ["a device", "on my way\n\nSent from my iPhone", "on my way"],
  ["a sentence that only looks like one", "On Monday I wrote: nothing", "On Monday I wrote: nothing"],
  ["a line that begins with From", "From: the beginning\nit was fine", "From: the beginning\nit was fine"],
  ["a quotation alone", "> old\n> older", ""],
])("keeps the writer's own text: %s", (_, text, own) => expect(withoutQuotes(text)).toBe(own))

test("line breaks are unified, and control characters are removed", () => {
  expect(cleanText("a\r\nb\rc\u2028d\0\x07\te\ud800")).toBe("a\nb\nc\nd\te\ufffd")
})

test("texts made to be slow are not", () => {
  const hostile = [
    "On a\n".repeat(50_000),
    `${"On x wrote:\n".repeat(20_000)}> q`,
    `On ${"a ".repeat(100_000)}`,
    "From: a\n".repeat(30_000),
    ">\n\n".repeat(60_000),
    "a: b@c.d 1.1.2024\n".repeat(15_000),
    `--- a ---\n${"a@b.c\n".repeat(5)}`.repeat(8000),
    "1.1.2024 <a@b.c>\n>\n".repeat(12_000),
  ]
  const began = performance.now()
  for (const text of hostile) withoutQuotes(text)
  expect(performance.now() - began).toBeLessThan(10_000)
})
