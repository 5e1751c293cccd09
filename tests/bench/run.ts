import {parseArgs} from "node:util"
import {runtimes} from "../support/host/runtimes.ts"
import {agentBusy} from "./agents/busy.ts"
import {agentStep} from "./agents/step.ts"
import {chat} from "./chat.ts"
import {checkpoint} from "./checkpoint.ts"
import {lists} from "./database/lists.ts"
import {snapshot} from "./database/snapshot.ts"
import {dispatch} from "./dispatch.ts"
import {durable} from "./durable.ts"
import {idleEndpoints} from "./endpoints/idle.ts"
import {isolation} from "./endpoints/isolation.ts"
import {eventAppend} from "./event-append.ts"
import {http} from "./http.ts"
import {jobs} from "./jobs.ts"
import {journal} from "./journal.ts"
import {journalOpen} from "./journal-open.ts"
import {logs} from "./logs.ts"
import {type Figure, tableOf, verdictOf} from "./measure/figure.ts"
import {memory} from "./memory.ts"
import {metrics} from "./metrics.ts"
import {hears} from "./plugins/hears.ts"
import {pluginTest} from "./plugins/plugin-test.ts"
import {send} from "./plugins/send.ts"
import {timersDue} from "./plugins/timers-due.ts"
import {timersWaiting} from "./plugins/timers-waiting.ts"
import {reload} from "./reload.ts"
import type {Row} from "./row.ts"
import {start} from "./start.ts"
import {stream} from "./stream.ts"
import {streamIdle} from "./stream-idle.ts"
import {streamStalled} from "./stream-stalled.ts"

/**
 * `bun run bench [-- <row> …]`: the targets of speed and memory, as ratios that are measured in one run against a named
 * yardstick. Nothing here is a test: a figure that falls short does not fail anything.
 */
const rows: readonly Row[] = [
  http,
  start,
  memory,
  dispatch,
  hears,
  durable,
  chat,
  agentStep,
  agentBusy,
  reload,
  metrics,
  snapshot,
  checkpoint,
  lists,
  logs,
  jobs,
  send,
  timersDue,
  timersWaiting,
  pluginTest,
  journal,
  journalOpen,
  stream,
  streamIdle,
  streamStalled,
  eventAppend,
  isolation,
  idleEndpoints,
]

/** The whole run is ended after so many minutes. */
const timeLimit = 15

const usage = `bun run bench [-- <row> …] [--json] [--pairs <n>] [--on <runtime>]

${rows.map(({name, summary}) => `  ${name.padEnd(16)}${summary}`).join("\n")}

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
  const progress = (text: string) =>
    process.stderr.write(`${row.name} ${((performance.now() - begun) / 1000).toFixed(0).padStart(3)} s: ${text}\n`)
  return row.measure({
    pairs: Number(values.pairs),
    runtimes: choose("runtime", runtimes, values.on),
    records: Number(values.records),
    progress,
  })
}

const main = async () => {
  if (values.help) return print(usage)
  if (!Number.isInteger(Number(values.pairs)) || Number(values.pairs) < 1) fail("--pairs is a number above 0")
  if (!Number.isInteger(Number(values.records)) || Number(values.records) < 1) fail("--records is a number above 0")
  const chosen = positionals.length === 0 ? rows : choose("row", rows, positionals)
  setTimeout(() => fail(`not done within ${timeLimit} minutes`), timeLimit * 60_000).unref()
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
