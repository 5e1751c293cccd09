import {setTimeout as sleep} from "node:timers/promises"
import type {TestRuntime} from "../../support/host/runtimes.ts"
import {bareName} from "../measure/bare.ts"
import {type Figure, sides} from "../measure/figure.ts"
import {measurePairs} from "../measure/pairs.ts"
import {residentMegabytes} from "../measure/process-stat.ts"
import {follow, type StreamServer, startBareStream, startStreamHost, warmUp} from "../measure/streams.ts"
import {onEachRuntime, type Row} from "../row.ts"

/** Each client takes a descriptor of the server and one of the clients' process: `ulimit -n` must be above this. */
const clients = 10_000

/** How long the clients stay idle before memory is read, in milliseconds: longer than a heartbeat. */
const settled = 16_000

/** The memory of a client, in KB. */
const memoryOf = async (server: StreamServer): Promise<number> => {
  await warmUp(server)
  const before = residentMegabytes(server.pid)
  const followers = await follow(server, clients)
  await sleep(settled)
  const megabytes = residentMegabytes(server.pid) - before
  const {closed} = await followers.figures()
  if (closed > 0) throw new Error(`${closed} of ${clients} idle clients were closed`)
  await followers.stop()
  await server.stop()
  return (megabytes * 1024) / clients
}

const measureOn = async (runtime: TestRuntime, pairs: number): Promise<Figure> => {
  const measured = await measurePairs(
    pairs,
    async () => memoryOf(await startStreamHost(runtime)),
    async () => memoryOf(await startBareStream(runtime)),
  )
  return {
    name: `memory of an idle client, on ${runtime.name}`,
    unit: "KB",
    value: measured.subject,
    against: bareName(runtime),
    detail: sides(measured, "KB"),
  }
}

export const streamIdle: Row = {
  name: "stream-idle",
  summary: `the event stream: memory of ${clients} clients while nothing happens, over a heartbeat`,
  measure: onEachRuntime(async (runtime, {pairs}) => [await measureOn(runtime, Math.min(pairs, 3))]),
}
