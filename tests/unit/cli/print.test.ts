import {expect, test} from "vitest"
import {facts, shorten, table} from "../../../cli/kit/print.ts"

test("columns align by what a terminal shows: wide letters, accents of their own, emoji", () => {
  const family = "👨‍👩‍👧"
  const accented = "e\u0301te\u0301"
  const shown = table(
    ["name", "n"],
    [
      ["日本", "1"],
      [accented, "2"],
      [family, "3"],
      ["plain", "4"],
    ],
  )
  expect(shown.split("\n")).toEqual(["name   n", "日本   1", `${accented}    2`, `${family}     3`, "plain  4"])
})

test("facts align by what a terminal shows", () => {
  expect(
    facts([
      ["endpoint", "irc"],
      ["日本", "x"],
    ]).split("\n"),
  ).toEqual(["endpoint  irc", "日本      x"])
})

test("a text is shortened to columns, and no letter is cut in two", () => {
  expect(shorten("one  line\nof words", 40)).toBe("one line of words")
  expect(shorten("abcdef", 6)).toBe("abcdef")
  expect(shorten("abcdefg", 6)).toBe("abcde…")
  expect(shorten("日本語の文", 6)).toBe("日本…")
  expect(shorten("ab👨‍👩‍👧cdef", 5)).toBe("ab👨‍👩‍👧…")
})

test("a long text without any width is cut, too", () => {
  const shown = shorten(`${"\u200b".repeat(200_000)}abc`, 10)
  expect(shown.endsWith("…")).toBe(true)
  expect(shown.length).toBeLessThan(1000)
})
