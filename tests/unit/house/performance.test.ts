import {readFileSync} from "node:fs"
import {expect, test} from "vitest"
import type {Compared, Comparison} from "../../bench/compare/compare.ts"
import {marks, pagePath, renderComparison, withMeasured} from "../../bench/compare/page.ts"
import {rows} from "../../bench/rows.ts"
import {root} from "../../support/host/runtimes.ts"

const page = readFileSync(`${root}${pagePath}`, "utf8")
const [before = "", after = ""] = [page.split(marks.begin)[0], page.split(marks.end)[1]]

const spreadOf = (median: number) => ({median, lowest: median * 0.9, highest: median * 1.05})

const figureOf = (name: string, unit: string, ratio: number): Compared => ({
  row: "durable",
  name,
  unit,
  against: "a yardstick",
  value: spreadOf(0.171),
  old: spreadOf(0.143),
  ratio: spreadOf(ratio),
  pairs: 7,
})

const comparison: Comparison = {
  commits: {old: "0123456789ab", new: "ba9876543210"},
  pairs: 7,
  machine: {cores: 2, architecture: "x64", runtimes: ["Bun 1.4.5", "Node 24.21.0"], load: [0.1, 2.3]},
  figures: [figureOf("the path", "", 1.2), figureOf("a wait", "ms", 0.8)],
  failed: [{row: "files", reason: "the old commit has none"}],
}

test("the performance page has the marks between which the bench writes", () => {
  expect(withMeasured(page, "measured")).toBe(`${before}${marks.begin}\n\nmeasured\n\n${marks.end}${after}`)
  expect(before.length).toBeGreaterThan(500)
})

test("writing the performance page again changes nothing that is written by hand", () => {
  const measured = renderComparison(comparison)
  const once = withMeasured(page, measured)
  expect(withMeasured(once, measured)).toBe(once)
  expect(once.startsWith(before) && once.endsWith(after)).toBe(true)
})

test.each([
  ["no begin", page.replace(marks.begin, "")],
  ["no end", page.replace(marks.end, "")],
  ["two begins", `${page}\n${marks.begin}`],
  ["the end first", `${marks.end}\n${marks.begin}`],
])("a page with %s is not written", (_, broken) => {
  expect(() => withMeasured(broken, "measured")).toThrow(pagePath)
})

test("the page tells ratios with their spread, the machine, and no time", () => {
  const measured = renderComparison(comparison)
  expect(measured).toContain("| the path | a yardstick | 0.17 (0.15 to 0.18) |")
  expect(measured).toContain("| the path | 1.20 (1.08 to 1.26) | changed |")
  expect(measured).toContain("| a wait | 0.80 (0.72 to 0.84) | better |")
  expect(measured).toContain("| Load before each sample | 0.10 to 2.30 |")
  expect(measured).toContain("Bun 1.4.5, Node 24.21.0")
  expect(measured).toContain("Cut off before the last pair: files.")
  expect(measured).not.toContain(" ms")
})

test("every row that the page tells of is a row of the bench", () => {
  const told = [...page.matchAll(/^### (.+)$/gm)].map(([, name]) => name)
  expect(told.filter(name => !rows.some(row => row.name === name))).toEqual([])
})
