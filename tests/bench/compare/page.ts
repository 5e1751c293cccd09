import {readFileSync, writeFileSync} from "node:fs"
import {root} from "../../support/host/runtimes.ts"
import {short} from "../measure/figure.ts"
import type {Spread} from "../measure/statistics.ts"
import {type Compared, type Comparison, changeOf} from "./compare.ts"

export const pagePath = "docs/reference/performance.md"

const head = `# Measured performance

\`bun run bench page\` writes this page. [How to read it](../performance.md#how-to-read-the-tables).`

const heading = "## "

const cell = (text: string) => text.trim().replaceAll("|", "\\|")

const rowOf = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`

/** A figure's name without the runtime at its end, and that runtime. */
const partsOf = ({name, row}: Compared) => {
  const [, what = name.trim(), runtime = ""] = /^\s*(.*?),? ?on (bun|node\d+)\s*$/.exec(name) ?? []
  return {what: what || row, runtime}
}

/** The same for a figure on each runtime. */
const lineOf = (figure: Compared): string => `${partsOf(figure).what} (${figure.unit})`

/** Returns a table with a line for each figure and a column for each runtime. */
const tableOf = (
  figures: readonly Compared[],
  titles: readonly string[],
  leading: (same: readonly Compared[]) => readonly string[],
  cellOf: (figure: Compared) => string,
): string => {
  const runtimes = [...new Set(figures.map(figure => partsOf(figure).runtime))]
  const columns = ["Figure", ...titles, ...runtimes]
  const lines = [...Map.groupBy(figures, lineOf).values()].map(same => [
    ...same.slice(0, 1).map(figure => partsOf(figure).what),
    ...leading(same),
    ...runtimes.map(runtime =>
      same
        .filter(figure => partsOf(figure).runtime === runtime)
        .map(cellOf)
        .join("; "),
    ),
  ])
  return [rowOf(columns), rowOf(columns.map(() => "---")), ...lines.map(rowOf)].join("\n")
}

const spread = ({median, lowest, highest}: Spread) =>
  short(lowest) === short(highest) ? short(median) : `${short(median)} (${short(lowest)} to ${short(highest)})`

/** Shows only ratios: a figure with a unit promises nothing for another machine. A yardstick of all of them is said once. */
const yardsticksOf = (figures: readonly Compared[]): readonly string[] => {
  const shown = figures.filter(({unit, against}) => unit === "" && against !== undefined)
  const yardsticks = (same: readonly Compared[]) => [[...new Set(same.map(({against = ""}) => against))].join(", or ")]
  const all = new Set([...Map.groupBy(shown, lineOf).values()].flatMap(yardsticks))
  const cellOf = ({value, target}: Compared) =>
    target === undefined ? spread(value) : `${spread(value)}, target ${target.is} ${short(target.value)}`
  if (all.size > 1) return [tableOf(shown, ["Yardstick"], yardsticks, cellOf)]
  return [...all].flatMap(yardstick => [
    `Yardstick: ${yardstick.replace(", or ", ",\nor ")}.`,
    tableOf(shown, [], () => [], cellOf),
  ])
}

/** Shows figures that changed on a runtime, and counts those that did not. Without enough pairs, there is no verdict. */
const changesOf = (figures: readonly Compared[]): readonly string[] => {
  const judged = figures.filter(each => Number.isFinite(each.ratio.median) && changeOf(each) !== "too few pairs")
  const groups = [...Map.groupBy(judged, lineOf).values()]
  const changed = groups.filter(same => same.some(figure => changeOf(figure) !== "alike"))
  const alike = groups.length - changed.length
  const cellOf = (figure: Compared) => `${spread(figure.ratio)} ${changeOf(figure)}`
  return [
    ...(changed.length === 0 ? [] : [tableOf(changed.flat(), [], () => [], cellOf)]),
    ...(alike === 0 ? [] : [`Alike: ${alike} of ${groups.length} figures.`]),
  ]
}

const captionOf = ({commits, machine}: Comparison, pairs: number): string => {
  const [lowest, highest] = machine.load
  const count = pairs === 1 ? "1 pair" : `${pairs} pairs`
  const cores = `${machine.cores} cores of ${machine.architecture}`
  const load = `load ${short(lowest)} to ${short(highest)}`
  return `${commits.new} through ${commits.old}: ${count}, ${cores}, ${load}, ${machine.runtimes.join(", ")}.`
}

const sectionOf = (row: string, comparison: Comparison): string => {
  const {failed} = comparison
  const figures = comparison.figures.filter(figure => figure.row === row)
  const isCutOff = failed.some(each => each.row === row)
  return [
    `${heading}${row}`,
    captionOf(comparison, Math.max(0, ...figures.map(({pairs}) => pairs))),
    ...(isCutOff ? ["Cut off before its last pair."] : []),
    ...yardsticksOf(figures),
    ...changesOf(figures),
  ].join("\n\n")
}

/** The measured sections as Markdown, by the names of the rows. */
export const renderComparison = (comparison: Comparison): ReadonlyMap<string, string> => {
  const {figures, failed} = comparison
  const rows = new Set([...figures, ...failed].map(({row}) => row))
  return new Map([...rows].map(row => [row, sectionOf(row, comparison)]))
}

/** Returns the sections of a page, each with its caption in the place of its run's number. */
const sectionsOf = (page: string): ReadonlyMap<string, string> => {
  const [runs = "", ...texts] = page.split(new RegExp(`^${heading}`, "m"))
  const captions = [...runs.matchAll(/^\d+\. (.*)$/gm)].map(([, caption = ""]) => caption)
  const whole = (text: string) => text.trim().replace(/^Run (\d+)\.$/m, (_, run) => captions[Number(run) - 1] ?? "")
  return new Map(texts.map(text => [text.slice(0, text.indexOf("\n")), `${heading}${whole(text)}`]))
}

/** Returns the list of runs, by their captions, and the sections, each with the number of its run. */
const numbered = (sections: readonly string[]): readonly string[] => {
  const captionIn = (section: string) => section.split("\n\n")[1] ?? ""
  const captions = [...new Set(sections.map(captionIn))]
  return [
    captions.map((caption, place) => `${place + 1}. ${caption}`).join("\n"),
    ...sections.map(text => text.replace(captionIn(text), `Run ${captions.indexOf(captionIn(text)) + 1}.`)),
  ]
}

/** Returns a page with the measured sections in `order`. Others stay, so that one may measure in parts. */
export const withMeasured = (page: string, measured: ReadonlyMap<string, string>, order: readonly string[]): string => {
  const sections = new Map([...sectionsOf(page), ...measured])
  return `${[head, ...numbered(order.flatMap(row => sections.get(row) ?? []))].join("\n\n")}\n`
}

export const writePage = (comparison: Comparison, order: readonly string[]): void => {
  const path = `${root}${pagePath}`
  writeFileSync(path, withMeasured(readFileSync(path, "utf8"), renderComparison(comparison), order))
}
