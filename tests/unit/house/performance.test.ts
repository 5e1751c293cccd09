import {readFileSync} from "node:fs"
import {expect, test} from "vitest"
import type {Compared, Comparison} from "../../bench/compare/compare.ts"
import {pagePath, renderComparison, withMeasured} from "../../bench/compare/page.ts"
import {rows} from "../../bench/rows.ts"
import {root} from "../../support/host/runtimes.ts"

const page = readFileSync(`${root}${pagePath}`, "utf8")

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
  figures: [
    figureOf("the path on bun", "", 1.2),
    {...figureOf("the path on node24", "", 1.2), against: "another", target: {is: "at least", value: 0.2}},
    figureOf("a wait, on node24", "ms", 0.8),
    {...figureOf("too few on bun", "ms", 0.8), pairs: 2},
    figureOf("no change on bun", "ms", 1),
  ],
  failed: [{row: "files", reason: "the old commit has none"}],
}

const of = (row: string, name: string): Comparison => ({
  ...comparison,
  figures: [{...figureOf(name, "", 1.2), row}],
  failed: [],
})

const order = rows.map(({name}) => name)

test("the measured page is as its generator writes it", () => {
  const once = withMeasured(page, renderComparison(comparison), order)
  expect(once).not.toBe(page)
  expect(withMeasured(once, renderComparison(comparison), order)).toBe(once)
  expect(withMeasured(page, new Map(), order)).toBe(page)
})

test("measuring some rows again keeps the others, in the order of the bench", () => {
  const first = withMeasured("", renderComparison(of("http", "first")), order)
  const second = withMeasured(first, renderComparison(of("durable", "second")), order)
  const third = withMeasured(second, renderComparison(of("http", "third")), order)
  expect([...third.matchAll(/^\| (first|second|third) \| 0\.17 \(0/gm)].map(([, name]) => name)).toEqual([
    ...(order.indexOf("http") < order.indexOf("durable") ? ["third", "second"] : ["second", "third"]),
  ])
})

test("the page shows ratios with their spread by runtime, the machine, and no time", () => {
  const {durable = "", files = ""} = Object.fromEntries(renderComparison(comparison))
  const ratio = "0.17 (0.15 to 0.18)"
  expect(durable).toContain("\n\nYardstick: a yardstick,\nor another.\n\n| Figure | bun | node24 |")
  expect(durable).toContain(`| the path | ${ratio} | ${ratio}, target at least 0.20 |`)
  expect(durable).toContain("| the path | 1.20 (1.08 to 1.26) changed | 1.20 (1.08 to 1.26) better |")
  expect(durable).toContain("| a wait |  | 0.80 (0.72 to 0.84) better |")
  expect(durable).toContain("\n\nAlike: 1 of 3 figures.")
  expect(durable).not.toMatch(/too few|no change/)
  expect(durable).toContain(
    "ba9876543210 through 0123456789ab: 7 pairs, 2 cores of x64, load 0.10 to 2.30, Bun 1.4.5, Node 24.21.0.",
  )
  expect(files).toContain("Cut off before its last pair.")
  expect(durable).not.toContain(" ms")
})

test("figures with different yardsticks name them in a column", () => {
  const other = {...figureOf("another path on bun", "", 1), against: "another"}
  const figures = [figureOf("a path on bun", "", 1), other]
  const {durable = ""} = Object.fromEntries(renderComparison({...comparison, figures}))
  expect(durable).toContain("| Figure | Yardstick | bun |")
  expect(durable).toContain("| another path | another | 0.17 (0.15 to 0.18) |")
})

test("every row on the page is a row of the bench", () => {
  const told = [...page.matchAll(/^## (.+)$/gm)].map(([, name]) => name)
  expect(told.filter(name => !rows.some(row => row.name === name))).toEqual([])
})
