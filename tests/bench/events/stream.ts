import type {TestRuntime} from "../../support/host/runtimes.ts"
import {bareName} from "../measure/bare.ts"
import {atMost, type Figure, short} from "../measure/figure.ts"
import {measurePairs} from "../measure/pairs.ts"
import {cpuSeconds, residentMegabytes} from "../measure/process-stat.ts"
import {spreadOf} from "../measure/statistics.ts"
import {
  follow,
  peakMegabytes,
  type StreamServer,
  startBareStream,
  startStreamHost,
  untilReceived,
  warmUp,
} from "../measure/streams.ts"
import {onEachRuntime, type Row} from "../row.ts"

const clients = 1000
const rate = 100
const seconds = 5

interface Sample {
  readonly p50: number
  readonly p99: number
  /** Deliveries that are missing or out of order. */
  readonly lost: number
  /** The highest memory per client, in KB. */
  readonly memory: number
  /** Deliveries per second of the server's processor time. */
  readonly perCpuSecond: number
}

const sampleOf = async (server: StreamServer): Promise<Sample> => {
  await warmUp(server)
  const before = residentMegabytes(server.pid)
  const followers = await follow(server, clients)
  await server.tick(rate, rate)
  await untilReceived(followers, clients * rate)
  await followers.clear()
  const busy = cpuSeconds(server.pid)
  const events = rate * seconds
  const peak = await peakMegabytes(server.pid, async () => {
    await server.tick(events, rate)
    await untilReceived(followers, clients * events)
  })
  const spent = cpuSeconds(server.pid) - busy
  const {received, holes, p50, p99} = await followers.figures()
  await followers.stop()
  await server.stop()
  return {
    p50,
    p99,
    lost: clients * events - received + holes,
    memory: ((peak - before) * 1024) / clients,
    perCpuSecond: received / spent,
  }
}

const measureOn = async (runtime: TestRuntime, pairs: number): Promise<readonly Figure[]> => {
  const own: Sample[] = []
  const bare: Sample[] = []
  const keep = async (samples: Sample[], server: StreamServer) => {
    const sample = await sampleOf(server)
    samples.push(sample)
    return sample.p99
  }
  await measurePairs(
    pairs,
    async () => keep(own, await startStreamHost(runtime)),
    async () => keep(bare, await startBareStream(runtime)),
  )
  const figure = (name: string, unit: string, of: (sample: Sample) => number, most?: number): Figure => ({
    name: `${name}, on ${runtime.name}`,
    unit,
    value: spreadOf(own.map(of)),
    ...(most === undefined ? {} : {target: atMost(most)}),
    against: bareName(runtime),
    detail: `${short(spreadOf(bare.map(of)).median)} ${unit}`,
  })
  return [
    figure("events lost, or out of order", "", ({lost}) => lost, 0),
    figure("p99 from the event to its client", "ms", ({p99}) => p99, 100),
    figure("p50", "ms", ({p50}) => p50),
    figure("memory of a client", "KB", ({memory}) => memory, 40),
    figure("deliveries per CPU-second", "/s", ({perCpuSecond}) => perCpuSecond),
  ]
}

export const stream: Row = {
  name: "stream",
  summary: `the event stream: ${clients} clients, ${rate} durable events a second; the yardstick stores nothing`,
  measure: onEachRuntime((runtime, {pairs}) => measureOn(runtime, pairs)),
}
