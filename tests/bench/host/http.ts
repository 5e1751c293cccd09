import {root, type TestRuntime} from "../../support/host/runtimes.ts"
import {answerOf, bareName, startBare} from "../measure/bare.ts"
import {atLeast, type Figure, ratioOf} from "../measure/figure.ts"
import {type BenchHost, smallBot, startHost, token} from "../measure/host.ts"
import {measurePairs} from "../measure/pairs.ts"
import {runScript} from "../measure/process.ts"
import {cpuSeconds} from "../measure/process-stat.ts"
import {onEachRuntime, type Row, type RowOptions} from "../row.ts"

/** The duration of a burst of requests, in seconds. */
const burst = 1.2

/** The number of warm-up bursts of both sides: Node answers twice as many requests in the fifth as in the first. */
const warmUp = 5

interface Case {
  readonly path: string
  readonly token: string
  readonly target: (runtime: TestRuntime) => number
}

const cases: readonly Case[] = [
  {path: "/pub/health", token: "", target: ({name}) => (name === "bun" ? 0.85 : 0.9)},
  {path: "/pub/ready", token: "", target: () => 0.75},
  {path: "/api/system/status", token, target: () => 0.7},
]

/** The requests that a server answers per second of its processor time. */
const rateOf = async (server: {pid: number; port: number}, {path, token}: Case): Promise<number> => {
  const before = cpuSeconds(server.pid)
  const load = [
    process.execPath,
    `${root}tests/bench/host/work/load.ts`,
    String(server.port),
    path,
    token,
    String(burst),
  ]
  const {answered} = await runScript<{answered: number}>(load)
  return answered / (cpuSeconds(server.pid) - before)
}

const measureCase = async (host: BenchHost, each: Case, runtime: TestRuntime, pairs: number): Promise<Figure> => {
  const bare = await startBare(runtime, await answerOf(await host.fetch(each.path)))
  for (let time = 0; time < warmUp; time++) for (const server of [host, bare]) await rateOf(server, each)
  const measured = await measurePairs(
    pairs,
    () => rateOf(host, each),
    () => rateOf(bare, each),
  )
  await bare.process.stop()
  return ratioOf(
    `${each.path} on ${runtime.name}`,
    measured,
    bareName(runtime),
    "requests per CPU-second",
    atLeast(each.target(runtime)),
  )
}

const measureOn = async (runtime: TestRuntime, {pairs, progress}: RowOptions): Promise<readonly Figure[]> => {
  const figures: Figure[] = []
  const project = smallBot()
  const host = await startHost(runtime, project)
  for (const each of cases) {
    progress(`${each.path} on ${runtime.name}`)
    figures.push(await measureCase(host, each, runtime, pairs))
  }
  await host.end()
  return figures
}

export const http: Row = {
  name: "http",
  summary: "requests per second of the server's own CPU, against the runtime's bare server with the same bytes",
  measure: onEachRuntime(measureOn),
}
