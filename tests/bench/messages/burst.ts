import {setTimeout as sleep} from "node:timers/promises"
import type {TestRuntime} from "../../support/host/runtimes.ts"
import {atLeast, type Figure, ratioOf} from "../measure/figure.ts"
import {startHost} from "../measure/host.ts"
import {pairsOf} from "../measure/pairs.ts"
import {residentMegabytes} from "../measure/process-stat.ts"
import {spreadOf} from "../measure/statistics.ts"
import {onEachRuntime, type Row, type RowOptions} from "../row.ts"
import {deliver, sinkProject, warmUp, webhookDoor} from "./sink.ts"

/** The rest between two loads, in milliseconds: the idle Host collects garbage meanwhile. */
const rest = 28_000

const load = 20_000

const measureOn = async (runtime: TestRuntime, {pairs, progress}: RowOptions): Promise<readonly Figure[]> => {
  const project = sinkProject(webhookDoor)
  const host = await startHost(runtime, project)
  const rateOf = async (messages: number) =>
    (await deliver(host, {flying: 100, messages, door: "webhook", ends: "replied"})).perCpuSecond
  const [before, after, loaded, rested]: [number[], number[], number[], number[]] = [[], [], [], []]
  await rateOf(warmUp)
  for (let pair = 1; pair <= pairs; pair++) {
    before.push(await rateOf(load))
    loaded.push(residentMegabytes(host.pid))
    progress(`rests before load ${pair} of ${pairs}, on ${runtime.name}`)
    await sleep(rest)
    rested.push(residentMegabytes(host.pid))
    after.push(await rateOf(load))
    await rateOf(load)
  }
  await host.end()
  return [
    ratioOf(
      `load after a rest, on ${runtime.name}`,
      pairsOf(after, before),
      "the load before it",
      "messages per CPU-second",
      atLeast(0.9),
    ),
    {name: `  resident after a load, on ${runtime.name}`, unit: "MB", value: spreadOf(loaded)},
    {name: `  resident after the rest, on ${runtime.name}`, unit: "MB", value: spreadOf(rested)},
  ]
}

export const burst: Row = {
  name: "burst",
  summary: `${load} messages, 100 at a time, after ${rest / 1000} s of rest, against as many before it`,
  measure: onEachRuntime(measureOn),
}
