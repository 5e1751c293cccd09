import {comparedTable, compareRows} from "./compare/compare.ts"
import {writePage} from "./compare/page.ts"
import {type Figure, tableOf, verdictOf} from "./measure/figure.ts"
import {type Options, readOptions, usage} from "./options.ts"
import type {Row} from "./row.ts"
import {rows} from "./rows.ts"

/**
 * `bun run bench`: the targets of speed and memory, as ratios measured in one run against a named yardstick or an older
 * commit. Nothing here is a test: a missed target fails nothing.
 */

const order = rows.map(({name}) => name)

/** The time limit of a row, in minutes. */
const timeLimit = 45

const print = (text: string) => process.stdout.write(`${text}\n`)
const say = (text: string) => process.stderr.write(`${text}\n`)

const fail = (error: unknown): never => {
  say(`bench: ${error instanceof Error ? error.message : String(error)}`)
  if (error instanceof Error && process.env.BENCH_STACK === "1") say(error.stack ?? "")
  process.exit(1)
}

const measure = async (row: Row, options: Options): Promise<readonly Figure[]> => {
  const begun = performance.now()
  const limit = setTimeout(() => fail(`${row.name} did not finish within ${timeLimit} minutes`), timeLimit * 60_000)
  const progress = (text: string) =>
    say(`${row.name} ${((performance.now() - begun) / 1000).toFixed(0).padStart(3)} s: ${text}`)
  return row.measure({...options, progress}).finally(() => clearTimeout(limit))
}

const measureAll = async (options: Options) => {
  const results: {row: string; figures: readonly Figure[]}[] = []
  for (const row of options.rows) {
    const figures = await measure(row, options)
    results.push({row: row.name, figures})
    if (!options.json) print(`\n${row.name}: ${row.summary}\n${tableOf(figures)}\n`)
  }
  const judged = results.flatMap(({row, figures}) =>
    figures.map(figure => ({row, ...figure, verdict: verdictOf(figure)})),
  )
  if (options.json) return print(JSON.stringify(judged))
  const fallShort = judged.filter(({verdict}) => verdict === "short")
  print(`${judged.filter(({verdict}) => verdict === "pass").length} targets reached, ${fallShort.length} missed`)
  for (const {row, name} of fallShort) print(`  short: ${row}, ${name}`)
}

const main = async () => {
  const options = readOptions(process.argv.slice(2))
  if (options.task === "help") return print(usage)
  if (options.task === "measure") return measureAll(options)
  // A long run that is interrupted has already written its results so far.
  const comparison = await compareRows(
    options,
    say,
    options.task === "page" ? soFar => writePage(soFar, order) : undefined,
  )
  print(options.json ? JSON.stringify(comparison) : comparedTable(comparison))
}

// `exit` runs the clean-up: it deletes the run's files and ends its processes.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1))
await main().catch(fail)
process.exit(0)
