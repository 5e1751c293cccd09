import {root, type TestRuntime} from "../../support/host/runtimes.ts"
import {fillDatabase, requireRoom} from "./ballast.ts"
import {atMost, type Figure, ratioOf} from "./figure.ts"
import {type BenchHost, type BenchProject, makeProject, startHost, token} from "./host.ts"
import {measurePairs, type Pairs, pairsOf} from "./pairs.ts"
import {runScript} from "./process.ts"
import {percentile} from "./statistics.ts"

/** The size of a large database, in bytes. */
export const databaseSize = 1e9

/** A plugin of the measured Host that starts a command of the same runtime, as the Host starts its snapshots. */
const runner = `import {spawn} from "node:child_process"
import {definePlugin, Type} from "svc-runtime"

const run = ([module, ...args]: string[]) =>
  new Promise<string>((done, fail) => {
    const child = spawn(process.execPath, [module, ...args], {stdio: ["ignore", "pipe", "pipe"]})
    let output = ""
    child.stdout.on("data", chunk => (output += chunk))
    child.stderr.on("data", chunk => (output += chunk))
    child.on("error", fail)
    child.on("close", code => (code === 0 ? done(output) : fail(new Error(output))))
  })

export default definePlugin({
  setup(plugin) {
    plugin.route({
      method: "POST", path: "/run", scope: "full", summary: "Run a command",
      body: Type.Object({command: Type.Array(Type.String())}),
      handle: async (_, call) => {
        const output = await run(call.body.command)
        if (output.includes('"ok":false')) throw new Error(output)
        return call.json(Type.Object({}), {output})
      },
    })
  },
})
`

export const databaseOf = ({folder}: BenchProject): string => `${folder}/data/bot.sqlite`

/** A project with a large database, whose Host can run commands. The disk has room for `copies` of it. */
export const makeLargeProject = async (runtime: TestRuntime, copies: number): Promise<BenchProject> => {
  const project = makeProject("  sandbox: {}\n  runner: {}\n", {runner})
  requireRoom(project.folder, (1 + copies) * databaseSize)
  await (await startHost(runtime, project)).stop()
  await fillDatabase(databaseOf(project), databaseSize)
  return project
}

interface Sample {
  readonly seconds: number
  readonly health: readonly number[]
  readonly write: readonly number[]
}

/** The latencies of a Host's clients while commands run: the measured command, and alternately the control. */
export interface Contest {
  /** Seconds. */
  readonly time: Pairs
  /** Milliseconds. */
  p99(kind: "health" | "write"): Pairs
}

export interface Sides {
  readonly pairs: number
  /** The module and arguments of the command, for the Host's runtime. */
  readonly subject: () => readonly string[]
  /** The number of bytes that the control writes. */
  readonly bytes: () => number
  readonly clear: () => void
}

/** Measures a command against a control that writes the same number of bytes to `control`. */
export const holdContest = async (host: BenchHost, control: string, sides: Sides): Promise<Contest> => {
  const samples: {subject: Sample[]; control: Sample[]} = {subject: [], control: []}
  const during = (kind: keyof typeof samples, command: () => readonly string[]) => async () => {
    const sample = await sampleDuring(host, command())
    samples[kind].push(sample)
    sides.clear()
    return sample.seconds
  }
  const time = await measurePairs(
    sides.pairs,
    during("subject", sides.subject),
    during("control", () => [`${root}tests/bench/database/work/write-bytes.mjs`, control, String(sides.bytes())]),
  )
  const p99 = (all: readonly Sample[], kind: "health" | "write") => all.map(sample => percentile(sample[kind], 0.99))
  return {time, p99: kind => pairsOf(p99(samples.subject, kind), p99(samples.control, kind))}
}

const sampleDuring = (host: BenchHost, command: readonly string[]): Promise<Sample> =>
  runScript([
    process.execPath,
    `${root}tests/bench/database/work/probe.ts`,
    String(host.port),
    token,
    JSON.stringify(command),
  ])

/** The waits of probes and writers against the control. `on` is the end of each name. */
export const waitFigures = ({p99}: Contest, on: string): readonly Figure[] =>
  (["health", "write"] as const).map(kind =>
    ratioOf(
      `p99 of ${kind === "health" ? "/pub/health" : "storing a message"} ${on}`,
      p99(kind),
      "a process that writes as many bytes",
      "ms",
      atMost(3),
    ),
  )
