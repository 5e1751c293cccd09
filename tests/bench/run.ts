import {parseArgs} from "node:util"
import {runtimes} from "../support/host/runtimes.ts"
import {type Figure, tableOf, verdictOf} from "./measure/figure.ts"
import type {Row} from "./row.ts"
import {rooms, rows} from "./rows.ts"

/**
 * `bun run bench [-- <row> …]`: the targets of speed and memory, as ratios that are measured in one run against a named
 * yardstick. Nothing here is a test: a figure that falls short does not fail anything.
 */

/** A row is ended after so many minutes. */
const timeLimit = 20

const list = Object.entries(rooms)
  .map(([room, rows]) => `  ${room}/\n${rows.map(({name, summary}) => `    ${name.padEnd(16)}${summary}`).join("\n")}`)
  .join("\n")

const usage = `bun run bench [-- <row> …] [--json] [--pairs <n>] [--on <runtime>]

${list}

  --json        print the figures as JSON
  --pairs <n>   interleaved pairs of each figure (default 7; fewer show a direction, not a result)
  --records <n> records of the Journal of journal-open (default 100000)
  --on <name>   only this runtime: ${runtimes.map(({name}) => name).join(", ")}

Node runs the bundle: bun run build makes it. Progress goes to stderr. Best on a machine that does nothing else.`

const {values, positionals} = parseArgs({
  allowPositionals: true,
  options: {
    help: {type: "boolean", short: "h", default: false},
    json: {type: "boolean", default: false},
    pairs: {type: "string", default: "7"},
    records: {type: "string", default: "100000"},
    on: {type: "string", multiple: true, default: runtimes.map(({name}) => name)},
  },
})

const print = (text: string) => process.stdout.write(`${text}\n`)

const fail = (message: string): never => {
  process.stderr.write(`bench: ${message}\n`)
  process.exit(1)
}

const choose = <T extends {readonly name: string}>(what: string, all: readonly T[], names: readonly string[]): T[] =>
  names.map(
    name =>
      all.find(each => each.name === name) ??
      fail(`there is no ${what} "${name}"; there are ${all.map(each => each.name).join(", ")}`),
  )

const measure = async (row: Row): Promise<readonly Figure[]> => {
  const begun = performance.now()
  const limit = setTimeout(() => fail(`${row.name} was not done within ${timeLimit} minutes`), timeLimit * 60_000)
  const progress = (text: string) =>
    process.stderr.write(`${row.name} ${((performance.now() - begun) / 1000).toFixed(0).padStart(3)} s: ${text}\n`)
  return row
    .measure({
      pairs: Number(values.pairs),
      runtimes: choose("runtime", runtimes, values.on),
      records: Number(values.records),
      progress,
    })
    .finally(() => clearTimeout(limit))
}

const main = async () => {
  if (values.help) return print(usage)
  if (!Number.isInteger(Number(values.pairs)) || Number(values.pairs) < 1) fail("--pairs is a number above 0")
  if (!Number.isInteger(Number(values.records)) || Number(values.records) < 1) fail("--records is a number above 0")
  const chosen = positionals.length === 0 ? rows : choose("row", rows, positionals)
  const results: {row: string; figures: readonly Figure[]}[] = []
  for (const row of chosen) {
    const figures = await measure(row)
    results.push({row: row.name, figures})
    if (!values.json) print(`\n${row.name}: ${row.summary}\n${tableOf(figures)}\n`)
  }
  const judged = results.flatMap(({row, figures}) =>
    figures.map(figure => ({row, ...figure, verdict: verdictOf(figure)})),
  )
  if (values.json) return print(JSON.stringify(judged, undefined, 2))
  const fallShort = judged.filter(({verdict}) => verdict === "short")
  print(`${judged.filter(({verdict}) => verdict === "pass").length} targets reached, ${fallShort.length} missed`)
  for (const {row, name} of fallShort) print(`  short: ${row}, ${name}`)
}

// Ends by `exit`, which removes what was made and ends what was started.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(1))
await main().catch(error => fail(error instanceof Error ? (error.stack ?? error.message) : String(error)))
process.exit(0)
