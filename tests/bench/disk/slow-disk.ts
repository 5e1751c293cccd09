import {spawnSync} from "node:child_process"
import {root, type TestRuntime} from "../../support/host/runtimes.ts"
import {atMost, type Figure, ratioOf, sides} from "../measure/figure.ts"
import {type BenchHost, type BenchProject, makeProject, startHost, token} from "../measure/host.ts"
import {measurePairs, pairsOf} from "../measure/pairs.ts"
import {runScript} from "../measure/process.ts"
import {percentile} from "../measure/statistics.ts"
import {onEachRuntime, onOneNode, type Row, type RowOptions} from "../row.ts"

/** The duration of a sync, in milliseconds. */
const delays = [5, 20, 100] as const

/** The number of messages stored per second while other requests wait for answers. */
const pace = 100

/** The number of messages in progress while as many as possible are stored. */
const flying = 64

/** The duration of a sample, in seconds. */
const burst = 4

interface Sample {
  readonly rate: number
  readonly health: readonly number[]
  readonly status: readonly number[]
  readonly gaps: readonly number[]
  readonly write: readonly number[]
}

/** Compiles a library that slows down a process's syncs, without a tracer that would slow down everything. */
const compile = ({folder}: BenchProject): string => {
  const library = `${folder}/slow-sync.so`
  const args = ["-shared", "-fPIC", "-O2", "-o", library, `${root}tests/bench/disk/slow-sync.c`, "-ldl"]
  const {status, error} = spawnSync("cc", args, {stdio: "inherit"})
  if (status !== 0)
    throw new Error(`the slow disk needs a C compiler, cc: ${error?.message ?? `it ended with ${status}`}`)
  return library
}

const sampleOf = (host: BenchHost): Promise<Sample> =>
  runScript([
    process.execPath,
    `${root}tests/bench/disk/probe.ts`,
    String(host.port),
    token,
    String(pace),
    String(flying),
    String(burst),
  ])

const measureDelay = async (runtime: TestRuntime, delay: number, {pairs}: RowOptions): Promise<readonly Figure[]> => {
  const samples: {subject: Sample[]; inThread: Sample[]} = {subject: [], inThread: []}
  const sample = (kind: keyof typeof samples) => async () => {
    const project = makeProject("  sandbox: {}\n", {})
    const host = await startHost(runtime, project, [], {
      LD_PRELOAD: compile(project),
      SLOW_SYNC_MS: String(delay),
      ...(kind === "inThread" ? {SVC_SLOW_DISK_FROM: "Infinity"} : {}),
    })
    const found = await sampleOf(host)
    samples[kind].push(found)
    await host.end()
    return found.rate
  }
  const rate = await measurePairs(pairs, sample("subject"), sample("inThread"))
  const where = `syncs of ${delay} ms on ${runtime.name}`
  const against = "a Host that syncs in its thread"
  const p99 = (what: "health" | "status" | "gaps" | "write", name: string, limit?: number): Figure => {
    const of = (all: readonly Sample[]) => all.map(each => percentile(each[what], 0.99))
    const found = pairsOf(of(samples.subject), of(samples.inThread))
    return {
      name: `p99 of ${name}, ${where}`,
      unit: "ms",
      value: found.subject,
      ...(limit === undefined ? {} : {target: atMost(limit)}),
      against,
      detail: sides(found, "ms"),
    }
  }
  return [
    p99("health", "/pub/health", 20),
    p99("status", "/api/system/status", 50),
    p99("gaps", "the time between two chunks of an event stream"),
    p99("write", "storing a message"),
    ratioOf(`messages a second, ${where}`, rate, against, "messages/s"),
  ]
}

const measureOn = async (runtime: TestRuntime, options: RowOptions): Promise<readonly Figure[]> => {
  const figures: Figure[] = []
  for (const delay of delays) {
    options.progress(`syncs of ${delay} ms on ${runtime.name}`)
    figures.push(...(await measureDelay(runtime, delay, options)))
  }
  return figures
}

export const slowDisk: Row = {
  name: "slow-disk",
  summary: "the latency for a Host's clients while its disk takes 5, 20 and 100 ms to sync",
  mostPairs: 3,
  measure: onOneNode(onEachRuntime(measureOn)),
}
