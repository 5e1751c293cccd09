import {rmSync, statSync} from "node:fs"
import {root, type TestRuntime} from "../support/runtimes.ts"
import {fillDatabase, requireRoom} from "./measure/ballast.ts"
import {atMost, type Figure, sides} from "./measure/figure.ts"
import {type BenchHost, type BenchProject, makeProject, startHost, token} from "./measure/host.ts"
import {measurePairs, type Pairs, pairsOf} from "./measure/pairs.ts"
import {runScript} from "./measure/process.ts"
import {percentile} from "./measure/statistics.ts"
import type {Row, RowOptions} from "./row.ts"

const databaseSize = 1e9

/** The database, its copy, the control's file, and as much again. */
const room = 4 * databaseSize

/** A plugin of the measured Host: starts a command of the same runtime, as the Host starts its snapshots. */
const runner = `import {spawn} from "node:child_process"
import {definePlugin, Type} from "svc-runtime"

const run = ([module, ...args]: string[]) =>
  new Promise<string>((done, fail) => {
    const child = spawn(process.execPath, [module, ...args], {stdio: ["ignore", "pipe", "pipe"], env: {}})
    let output = ""
    child.stdout.on("data", chunk => (output += chunk))
    child.stderr.on("data", chunk => (output += chunk))
    child.on("error", fail)
    child.on("close", code => (code === 0 ? done(output) : fail(new Error(output))))
  })

export default definePlugin({
  setup(plugin) {
    plugin.route({
      method: "POST",
      path: "/run",
      scope: "full",
      summary: "Run a command",
      body: Type.Object({command: Type.Array(Type.String())}),
      handle: async (_, call) => {
        const output = await run((await call.body()).command)
        if (output.includes('"ok":false')) throw new Error(output)
        return call.json(Type.Object({}), {output})
      },
    })
  },
})
`

interface Sample {
  readonly seconds: number
  readonly health: readonly number[]
  readonly write: readonly number[]
}

/** What clients of the Host see while a command runs. */
const sampleDuring = (host: BenchHost, command: readonly string[]): Promise<Sample> =>
  runScript([process.execPath, `${root}tests/bench/work/probe.ts`, String(host.port), token, JSON.stringify(command)])

const childModule = ({name}: TestRuntime) =>
  name === "bun" ? `${root}server/database/child.ts` : `${root}dist/database-child.js`

const makeLargeProject = async (runtime: TestRuntime): Promise<BenchProject> => {
  const project = makeProject("  sandbox: {}\n  runner: {}\n", {runner})
  requireRoom(project.folder, room)
  const host = await startHost(runtime, project)
  await host.stop()
  await fillDatabase(`${project.folder}/data/bot.sqlite`, databaseSize)
  return project
}

const measureOn = async (runtime: TestRuntime, project: BenchProject, pairs: number): Promise<readonly Figure[]> => {
  const database = `${project.folder}/data/bot.sqlite`
  const copy = `${project.folder}/copy`
  const host = await startHost(runtime, project)
  const samples: {snapshot: Sample[]; control: Sample[]} = {snapshot: [], control: []}
  const during = (kind: keyof typeof samples, command: () => readonly string[]) => async () => {
    const sample = await sampleDuring(host, command())
    samples[kind].push(sample)
    rmSync(copy, {force: true})
    return sample.seconds
  }
  const time = await measurePairs(
    pairs,
    during("snapshot", () => [childModule(runtime), "snapshot", database, `${copy}.partial`, copy]),
    during("control", () => [`${root}tests/bench/work/write-bytes.mjs`, copy, String(statSync(database).size)]),
  )
  await host.stop()
  const p99 = (kind: "health" | "write"): Pairs => {
    const [subject, yardstick] = [samples.snapshot, samples.control].map(all =>
      all.map(sample => percentile(sample[kind], 0.99)),
    )
    return pairsOf(subject ?? [], yardstick ?? [])
  }
  const figure = (name: string, kind: "health" | "write"): Figure => ({
    name: `p99 of ${name} on ${runtime.name}`,
    unit: "",
    value: p99(kind).ratio,
    target: atMost(3),
    against: "a process that writes as many bytes",
    detail: sides(p99(kind), "ms"),
  })
  return [
    figure("/pub/health", "health"),
    figure("storing a message", "write"),
    {name: `the snapshot on ${runtime.name}`, unit: "s", value: time.subject, detail: sides(time, "s")},
  ]
}

const measure = async ({pairs, runtimes, progress}: RowOptions): Promise<readonly Figure[]> => {
  const figures: Figure[] = []
  for (const runtime of runtimes.filter(({name}) => runtimes.length === 1 || name !== "node22")) {
    progress(`making a database of ${databaseSize / 1e9} GB for ${runtime.name}`)
    const project = await makeLargeProject(runtime)
    progress(`snapshots on ${runtime.name}`)
    figures.push(...(await measureOn(runtime, project, pairs)))
    project.remove()
  }
  return figures
}

export const snapshot: Row = {
  name: "snapshot",
  summary:
    "what clients wait while the child process of a snapshot copies a 1 GB database, against one that writes as many bytes (Bun and Node 24)",
  measure,
}
