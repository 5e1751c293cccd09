import {availableParallelism, loadavg} from "node:os"
import {table} from "../../../cli/kit/print.ts"
import {root} from "../../support/host/runtimes.ts"
import {type Figure, short} from "../measure/figure.ts"
import {pairsOf} from "../measure/pairs.ts"
import {runProcess, runScript} from "../measure/process.ts"
import type {Spread} from "../measure/statistics.ts"
import type {Options} from "../options.ts"
import {buildTree, checkOut, ownCommit} from "./checkout.ts"

/** One figure, measured on both sides. */
export interface Compared extends Figure {
  readonly row: string
  readonly pairs: number
  /** The ratio of each pair: this tree divided by the other commit. */
  readonly ratio: Spread
  readonly old: Spread
}

export interface Machine {
  readonly cores: number
  readonly architecture: string
  /** Each with its version. */
  readonly runtimes: readonly string[]
  /** The number of processes that ran or waited for a core in the minute before each sample. */
  readonly load: readonly [lowest: number, highest: number]
}

export interface Comparison {
  readonly commits: {readonly old: string; readonly new: string}
  readonly pairs: number
  readonly machine: Machine
  readonly figures: readonly Compared[]
  /** Rows that failed before their last pair, with the reason. */
  readonly failed: readonly {readonly row: string; readonly reason: string}[]
}

type Sample = readonly (Figure & {readonly row: string})[]

type Wanted = Pick<Options, "rows" | "ref" | "pairs" | "runtimes" | "events">

/** Takes one sample of a row with that tree's bench, in a process that cleans up after itself. */
const sampleOf = (folder: string, row: string, {runtimes, events}: Wanted): Promise<Sample> =>
  runScript<Sample>(
    [
      process.execPath,
      "tests/bench/run.ts",
      row,
      ...["--json", "--pairs", "1", "--rows", String(events)],
      ...runtimes.flatMap(({name}) => ["--on", name]),
    ],
    {cwd: folder, endsBy: "SIGTERM"},
  )

/** Throws for a row with two figures of the same name. */
const requireNames = (sample: Sample): Sample => {
  const names = sample.map(({name, unit}) => `${name.trim()} (${unit})`)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new Error(`two figures of the row are named ${twice}`)
  return sample
}

/** Combines both sides of a row by the names of their figures, in the order of the newest sample. */
const comparedOf = (olds: readonly Sample[], news: readonly Sample[]): readonly Compared[] =>
  (news.at(-1) ?? []).flatMap(figure => {
    const {name, unit} = figure
    const isSame = (other: Figure) => other.name === name && other.unit === unit
    const both = olds.flatMap((sample, index) => {
      const old = sample.find(isSame)?.value.median
      const own = news[index]?.find(isSame)?.value.median
      return old === undefined || own === undefined ? [] : [{old, own}]
    })
    if (both.length === 0) return []
    const {subject, yardstick, ratio} = pairsOf(
      both.map(({own}) => own),
      both.map(({old}) => old),
    )
    return [{...figure, value: subject, old: yardstick, ratio, pairs: both.length}]
  })

const versionOf = async ({name, command: [binary = ""]}: Options["runtimes"][number]): Promise<string> =>
  `${name === "bun" ? "Bun" : "Node"} ${(await runProcess([binary, "--version"])).trim().replace(/^v/, "")}`

/** Measures this tree and an older commit alternately. Calls `onRow` after each row with the results so far. */
export const compareRows = async (
  wanted: Wanted,
  say: (text: string) => void,
  onRow: (soFar: Comparison) => void = () => {},
): Promise<Comparison> => {
  const own = ownCommit()
  const runtimes = await Promise.all(wanted.runtimes.map(versionOf))
  const old = await checkOut(wanted.ref, say)
  say("building the working tree")
  await buildTree(root)
  const loads: number[] = []
  const figures: Compared[] = []
  const failed: {row: string; reason: string}[] = []
  const soFar = (): Comparison => ({
    commits: {old: old.commit, new: own},
    pairs: wanted.pairs,
    machine: {
      cores: availableParallelism(),
      architecture: process.arch,
      runtimes,
      load: [Math.min(...loads), Math.max(...loads)],
    },
    figures,
    failed,
  })
  const turns = [
    {side: "old", folder: old.folder, name: old.commit},
    {side: "new", folder: root, name: "the working tree"},
  ] as const
  for (const {name: row, mostPairs = wanted.pairs} of wanted.rows) {
    const pairs = Math.min(wanted.pairs, mostPairs)
    const samples: {old: Sample[]; new: Sample[]} = {old: [], new: []}
    const measure = async () => {
      for (let pair = 0; pair < pairs; pair++) {
        for (const {side, folder, name} of pair % 2 === 0 ? turns : turns.toReversed()) {
          say(`${row}, pair ${pair + 1} of ${pairs}: ${name}`)
          loads.push(loadavg()[0] ?? 0)
          samples[side].push(requireNames(await sampleOf(folder, row, wanted)))
        }
      }
    }
    await measure().catch(error => {
      const reason = error instanceof Error ? error.message : String(error)
      say(`${row} is cut off: ${reason}`)
      failed.push({row, reason})
    })
    // The pairs before a failure count.
    figures.push(...comparedOf(samples.old, samples.new))
    onRow(soFar())
  }
  old.remove()
  return soFar()
}

/** With fewer pairs, a direction may be chance. */
const fewestPairs = 3

/** Whether the ratios of all pairs are on the same side of 1. */
export const changeOf = ({
  ratio,
  unit,
  target,
  pairs,
}: Compared): "better" | "worse" | "changed" | "alike" | "too few pairs" => {
  if (pairs < fewestPairs) return "too few pairs"
  if (ratio.lowest <= 1 && ratio.highest >= 1) return "alike"
  const isMoreBetter = target === undefined ? (unit === "" ? undefined : unit === "/s") : target.is === "at least"
  if (isMoreBetter === undefined) return "changed"
  return ratio.median > 1 === isMoreBetter ? "better" : "worse"
}

export const comparedTable = ({commits, pairs, figures, failed}: Comparison): string => {
  const lines = figures.map(figure => {
    const {row, name, unit, ratio, old, value} = figure
    return [
      `${row}: ${name.trim()}`,
      short(ratio.median),
      `${short(ratio.lowest)} to ${short(ratio.highest)}`,
      changeOf(figure),
      `${short(old.median)} to ${short(value.median)} ${unit}`.trim(),
    ]
  })
  const head = `${commits.new} through ${commits.old}, ${pairs} pairs`
  const columns = ["figure", "ratio", "spread", "change", "medians"] as const
  return [head, table(columns, lines), ...failed.map(({row}) => `cut off: ${row}`)].join("\n")
}
