import {readFileSync} from "node:fs"
import {join} from "node:path"
import {expect, test} from "vitest"
import {facts, shorten, table} from "../../../cli/kit/print.ts"
import {sourceFiles} from "../../../scripts/plan/graph.ts"
import {shown, shownInLine, shownJson} from "../../../shared/shown.ts"
import {root} from "../../support/host/runtimes.ts"

test("columns align by their width on a terminal: wide letters, combining accents, emoji", () => {
  const family = "👨‍👩‍👧"
  const accented = "e\u0301te\u0301"
  const aligned = table(
    ["name", "n"],
    [
      ["日本", "1"],
      [accented, "2"],
      [family, "3"],
      ["plain", "4"],
    ],
  )
  expect(aligned.split("\n")).toEqual(["name   n", "日本   1", `${accented}    2`, `${family}     3`, "plain  4"])
})

test("facts align by their width on a terminal", () => {
  expect(
    facts([
      ["endpoint", "irc"],
      ["日本", "x"],
    ]).split("\n"),
  ).toEqual(["endpoint  irc", "日本      x"])
})

test("a text is shortened to columns without splitting a letter", () => {
  expect(shorten("one  line\nof words", 40)).toBe("one line of words")
  expect(shorten("abcdef", 6)).toBe("abcdef")
  expect(shorten("abcdefg", 6)).toBe("abcde…")
  expect(shorten("日本語の文", 6)).toBe("日本…")
  expect(shorten("ab👨‍👩‍👧cdef", 5)).toBe("ab👨‍👩‍👧…")
})

test("a long text without any width is shortened too", () => {
  const cut = shorten(`${"\u200b".repeat(200_000)}abc`, 10)
  expect(cut.endsWith("…")).toBe(true)
  expect(cut.length).toBeLessThan(1000)
})

const hostile = "a\u001b[2Jb\u0007\u007f\u009b31m\u202e\u2066c\rd"
const visible = "a\\u001b[2Jb\\u0007\\u007f\\u009b31m\\u202e\\u2066c\\u000dd"

test("control characters are shown as JSON escapes; lines, tabs, accents and emoji stay", () => {
  expect(shown(hostile)).toBe(visible)
  expect(shown(shown(hostile))).toBe(visible)
  expect(shown("a\tb\n日本 e\u0301 👨‍👩‍👧 שלום")).toBe("a\tb\n日本 e\u0301 👨‍👩‍👧 שלום")
  expect(shownInLine("a\tb\nc")).toBe("a b\\u000ac")
  const json = JSON.stringify({[hostile]: [hostile, `\\${hostile}`]}, undefined, 2)
  expect(JSON.parse(shown(json))).toEqual(JSON.parse(json))
  for (const text of ["plain", "a\u007f", "a\u009b", "a\u202e", "日本", "\u001b"])
    expect(shownJson(JSON.stringify(text))).toBe(shown(JSON.stringify(text)))
})

test("a cell is one line, a value's further lines start under it, and columns align by width", () => {
  const lines = table(
    ["user", "n"],
    [
      [hostile, "1"],
      ["one\ntwo", "2"],
    ],
  ).split("\n")
  expect(lines).toEqual([
    `user${" ".repeat(visible.length - 2)}n`,
    `${visible}  1`,
    `${"one\\u000atwo".padEnd(visible.length)}  2`,
  ])
  expect(facts([["content", "hello\nstate    handled\u001b[1A"]])).toBe(
    "content  hello\n         state    handled\\u001b[1A",
  )
})

test("a shortened text counts its shown width, and is cut between graphemes", () => {
  expect(shorten("\u001b[2Jabcdefgh", 10)).toBe("\\u001b[2J…")
  expect(shorten("e\u0301".repeat(5), 4)).toBe(`${"e\u0301".repeat(3)}…`)
  expect(shorten("🇦🇹🇩🇪🇫🇷", 5)).toBe("🇦🇹🇩🇪…")
})

test("commands write to the terminal only through SvcCommand, except help, progress, questions and chat", () => {
  const writers = sourceFiles()
    .filter(file => file.startsWith("cli/") && !file.startsWith("cli/init/"))
    .filter(file => /\b(stdout|stderr|output)\??\.write\(|console\.\w+\(/.test(readFileSync(join(root, file), "utf8")))
  expect(writers.sort()).toEqual(
    `cli/chat.ts cli/kit/ask-line.ts cli/kit/progress.ts cli/kit/svc-command.ts cli/launch.js
    cli/runtime/start.ts cli/svc.ts`.split(/\s+/),
  )
  const painters = sourceFiles().filter(file => /\bprintPainted\(/.test(readFileSync(join(root, file), "utf8")))
  expect(painters.sort()).toEqual(["cli/events/tail.ts", "cli/kit/svc-command.ts", "cli/logs.ts"])
})
