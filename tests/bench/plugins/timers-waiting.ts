import {setTimeout as sleep} from "node:timers/promises"
import {createClient} from "@libsql/client/sqlite3"
import type {TestRuntime} from "../../support/host/runtimes.ts"
import {atMost, type Figure, ratioOf} from "../measure/figure.ts"
import {type BenchProject, configOf, makeProject, startHost} from "../measure/host.ts"
import {measurePairs, pairsOf} from "../measure/pairs.ts"
import {residentMegabytes} from "../measure/process-stat.ts"
import {median} from "../measure/statistics.ts"
import {onEachRuntime, type Row, type RowOptions} from "../row.ts"

/** The number of waiting timers, and the number stored per batch. */
const waiting = 1_000_000
const atOnce = 10_000

/** Memory is read this many milliseconds after the Host is ready. */
const settled = 1500

const reloads = 20

const reminders = `import {definePlugin, Type} from "svc-runtime"

export default definePlugin({
  config: Type.Object({unit: Type.Number({default: 1})}),
  setup(plugin) {
    plugin.timer("due", {data: Type.Integer()}, () => {})
  },
})
`

const pluginsFor = (unit: number): string => `  reminders:\n    config:\n      unit: ${unit}\n`

const insert = `INSERT INTO timers (id, plugin, name, due_at, missed, data, endpoint, channel, user, place, created_at)
  SELECT 'timer-' || value, 'reminders', 'due', ? + value * 1000, 'once', '1', 'line', '#line', 'user-' || (value % 50000), '{}', 0
  FROM json_each(?)`

/** Makes a project whose Host has run once, with this many timers spread over the next day. */
const projectWith = async (runtime: TestRuntime, timers: number): Promise<BenchProject> => {
  const project = makeProject(pluginsFor(0), {reminders})
  await (await startHost(runtime, project)).stop()
  const client = createClient({url: `file:${project.folder}/data/bot.sqlite`, concurrency: 1})
  const first = Date.now() + 24 * 3600 * 1000
  for (let from = 0; from < timers; from += atOnce) {
    const values = JSON.stringify(Array.from({length: atOnce}, (_, index) => from + index))
    await client.execute({sql: insert, args: [first, values]})
  }
  const [row] = (await client.execute("SELECT count(*) AS count FROM timers WHERE state = 'waiting'")).rows
  if (row?.count !== timers) throw new Error(`${row?.count} timers are stored, instead of ${timers}`)
  await client.execute("PRAGMA wal_checkpoint(TRUNCATE)")
  client.close()
  return project
}

interface Sample {
  readonly start: number
  readonly memory: number
  readonly reload: number
}

const sampleOf = async (runtime: TestRuntime, project: BenchProject): Promise<Sample> => {
  const host = await startHost(runtime, project)
  await sleep(settled)
  const memory = residentMegabytes(host.pid)
  const times: number[] = []
  for (let unit = 1; unit <= reloads; unit++) {
    project.write("svc.config.yml", configOf(pluginsFor(unit + Math.random())))
    const begun = performance.now()
    await host.fetch("/api/system/reload", {method: "POST", body: "{}"})
    times.push(performance.now() - begun)
  }
  await host.stop()
  return {start: host.startedIn, memory, reload: median(times)}
}

const names = {start: "start", memory: "memory", reload: "reload of a changed configuration"} as const

const measureOn = async (runtime: TestRuntime, {pairs, progress}: RowOptions): Promise<readonly Figure[]> => {
  progress(`storing ${waiting} timers, on ${runtime.name}`)
  const [full, empty] = [await projectWith(runtime, waiting), await projectWith(runtime, 0)]
  const taken: Record<"full" | "empty", Sample[]> = {full: [], empty: []}
  const take = async (which: "full" | "empty") => {
    const sample = await sampleOf(runtime, which === "full" ? full : empty)
    taken[which].push(sample)
    return sample.start
  }
  await measurePairs(
    pairs,
    () => take("full"),
    () => take("empty"),
  )
  full.remove()
  empty.remove()
  return (["start", "memory", "reload"] as const).map(kind => {
    const measured = pairsOf(
      taken.full.map(sample => sample[kind]),
      taken.empty.map(sample => sample[kind]),
    )
    return ratioOf(
      `${names[kind]}, on ${runtime.name}`,
      measured,
      "the same without timers",
      kind === "memory" ? "MB" : "ms",
      atMost(1.1),
    )
  })
}

export const timersWaiting: Row = {
  name: "timers-waiting",
  summary: "a Host with a million waiting timers: start, memory and reload, against one without timers",
  measure: onEachRuntime(measureOn),
}
