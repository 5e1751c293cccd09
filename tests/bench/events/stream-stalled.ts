import {readFileSync} from "node:fs"
import {setTimeout as sleep} from "node:timers/promises"
import type {TestRuntime} from "../../support/host/runtimes.ts"
import {atMost, type Figure, short} from "../measure/figure.ts"
import {pairsOf} from "../measure/pairs.ts"
import {residentMegabytes} from "../measure/process-stat.ts"
import {spreadOf} from "../measure/statistics.ts"
import {follow, peakMegabytes, type StreamHost, startStreamHost, untilReceived, warmUp} from "../measure/streams.ts"
import {onEachRuntime, type Row} from "../row.ts"

const clients = 1000
const rate = 100
const seconds = 15

interface Sample {
  readonly p99: number
  /** The server's growth since the clients connected, in MB. */
  readonly grown: number
}

/** The bytes that the system buffers for unread connections of a port; `/proc/net/tcp` has them in hexadecimal. */
const queuedAt = (port: number): number => {
  const local = `:${port.toString(16).toUpperCase().padStart(4, "0")}`
  return readFileSync("/proc/net/tcp", "utf8")
    .split("\n")
    .map(line => line.trim().split(/\s+/))
    .filter(([, address = ""]) => address.endsWith(local))
    .reduce((sum, [, , , , queues = "0"]) => sum + Number.parseInt(queues.split(":")[0] ?? "0", 16), 0)
}

/**
 * Raises events for the one client that does not read, until the system buffers no more for it: from then on the server
 * must buffer them. The server disconnects a client at 1,000 queued events, more than this function raises after that.
 */
const fill = async (host: StreamHost): Promise<void> => {
  let most = 0
  for (let same = 0; same < 2; ) {
    await host.tick(200, 1000)
    await sleep(600)
    const queued = queuedAt(host.port)
    same = queued > most || queued === 0 ? 0 : same + 1
    most = Math.max(most, queued)
  }
}

const slowConsumers = async ({host}: StreamHost): Promise<number> => {
  const page = await (await host.fetch("/api/metrics")).text()
  return Number(/^svc_event_stream_slow_consumers_total (\d+)$/m.exec(page)?.[1])
}

const sampleOf = async (runtime: TestRuntime, stalled: number): Promise<Sample> => {
  const server = await startStreamHost(runtime)
  await warmUp(server)
  const deaf = stalled > 0 ? await follow(server, stalled, stalled) : undefined
  if (deaf !== undefined) await fill(server)
  const followers = await follow(server, clients - stalled)
  await server.tick(rate, rate)
  await untilReceived(followers, (clients - stalled) * rate)
  await followers.clear()
  const before = residentMegabytes(server.pid)
  const events = rate * seconds
  const peak = await peakMegabytes(server.pid, async () => {
    await server.tick(events, rate)
    await untilReceived(followers, (clients - stalled) * events)
  })
  const {p99, holes, received} = await followers.figures()
  const missed = (clients - stalled) * events - received + holes
  if (missed > 0) throw new Error(`${missed} events did not come in their order`)
  const cut = await slowConsumers(server)
  if (cut !== stalled) throw new Error(`${cut} clients were disconnected, but ${stalled} do not read`)
  await Promise.all([followers.stop(), deaf?.stop()])
  await server.stop()
  return {p99, grown: peak - before}
}

const measureOn = async (runtime: TestRuntime, pairs: number): Promise<readonly Figure[]> => {
  const samples: (readonly [stalled: Sample, calm: Sample])[] = []
  for (let index = 0; index < pairs; index++) {
    const first = await sampleOf(runtime, index % 2)
    const second = await sampleOf(runtime, 1 - (index % 2))
    samples.push(index % 2 === 1 ? [first, second] : [second, first])
  }
  const {ratio, subject, yardstick} = pairsOf(
    samples.map(([stalled]) => stalled.p99),
    samples.map(([, calm]) => calm.p99),
  )
  const added = spreadOf(samples.map(([stalled, calm]) => stalled.grown - calm.grown))
  const against = "the same with all of them reading"
  return [
    {
      name: `p99 of the others, on ${runtime.name}`,
      unit: "",
      value: ratio,
      target: atMost(1.1),
      against,
      detail: `${short(subject.median)} against ${short(yardstick.median)} ms`,
    },
    {name: `memory added, on ${runtime.name}`, unit: "MB", value: added, target: atMost(2), against},
  ]
}

export const streamStalled: Row = {
  name: "stream-stalled",
  summary: `the event stream: one of ${clients} clients stops reading and is disconnected, ${rate} durable events a second`,
  measure: onEachRuntime((runtime, {pairs}) => measureOn(runtime, Math.min(pairs, 3))),
}
