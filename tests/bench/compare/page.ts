import {readFileSync, writeFileSync} from "node:fs"
import {root} from "../../support/host/runtimes.ts"
import {short} from "../measure/figure.ts"
import type {Spread} from "../measure/statistics.ts"
import {type Compared, type Comparison, changeOf} from "./compare.ts"

/** The page whose middle is measured; what stands before and after the marks is written by hand. */
export const pagePath = "docs/performance.md"

export const marks = {
  begin: "<!-- What follows is written by `bun run bench page`. -->",
  end: "<!-- What stands above is written by `bun run bench page`. -->",
} as const

const cell = (text: string) => text.trim().replaceAll("|", "\\|")

const rowOf = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`

const tableOf = (columns: readonly string[], lines: readonly (readonly string[])[]): string =>
  [rowOf(columns), rowOf(columns.map(() => "---")), ...lines.map(rowOf)].join("\n")

const spread = ({median, lowest, highest}: Spread) => `${short(median)} (${short(lowest)} to ${short(highest)})`

/** Only ratios are told: a figure with a unit is no promise for another machine. */
const yardsticksOf = (figures: readonly Compared[]): readonly (readonly string[])[] =>
  figures
    .filter(({unit, against}) => unit === "" && against !== undefined)
    .map(({name, against = "", value, target}) => [
      name,
      against,
      spread(value),
      target === undefined ? "" : `${target.is} ${short(target.value)}`,
    ])

const changesOf = (figures: readonly Compared[]): readonly (readonly string[])[] =>
  figures
    .filter(({ratio}) => Number.isFinite(ratio.median))
    .map(figure => [figure.name, spread(figure.ratio), changeOf(figure)])

const sectionOf = (row: string, figures: readonly Compared[], old: string): string => {
  const yardsticks = yardsticksOf(figures)
  return [
    `### ${row}`,
    ...(yardsticks.length === 0 ? [] : [tableOf(["Figure", "Yardstick", "Ratio", "Target"], yardsticks)]),
    tableOf(["Figure", `New through ${old}`, "Change"], changesOf(figures)),
  ].join("\n\n")
}

/** What is measured, as Markdown. */
export const renderComparison = ({commits, pairs, machine, figures, failed}: Comparison): string => {
  const rows = [...new Set(figures.map(({row}) => row))]
  const [lowest, highest] = machine.load
  return [
    tableOf(
      ["Measured", ""],
      [
        ["New", commits.new],
        ["Old", commits.old],
        ["Pairs", String(pairs)],
        ["Cores", `${machine.cores}, ${machine.architecture}`],
        ["Load before each sample", `${short(lowest)} to ${short(highest)}`],
        ["Runtimes", machine.runtimes.join(", ")],
      ],
    ),
    ...rows.map(row =>
      sectionOf(
        row,
        figures.filter(figure => figure.row === row),
        commits.old,
      ),
    ),
    ...(failed.length === 0 ? [] : [`Cut off before the last pair: ${failed.map(({row}) => row).join(", ")}.`]),
  ].join("\n\n")
}

/** A page with another middle. Throws where its marks are not what this writes between. */
export const withMeasured = (page: string, measured: string): string => {
  const [begin, end] = [page.indexOf(marks.begin), page.indexOf(marks.end)]
  const areAlone = page.indexOf(marks.begin, begin + 1) < 0 && page.indexOf(marks.end, end + 1) < 0
  if (begin < 0 || end < begin || !areAlone)
    throw new Error(`${pagePath} needs "${marks.begin}" and "${marks.end}", each once and in this order`)
  return `${page.slice(0, begin + marks.begin.length)}\n\n${measured}\n\n${page.slice(end)}`
}

export const writePage = (comparison: Comparison): void => {
  const path = `${root}${pagePath}`
  writeFileSync(path, withMeasured(readFileSync(path, "utf8"), renderComparison(comparison)))
}
