import type {TestRuntime} from "../../support/host/runtimes.ts"
import {atMost, type Figure, sides} from "../measure/figure.ts"
import {type BenchHost, startHost} from "../measure/host.ts"
import {measurePairs} from "../measure/pairs.ts"
import {percentile} from "../measure/statistics.ts"
import {sample} from "../messages/chat.ts"
import {onEachRuntime, type Row, type RowOptions} from "../row.ts"
import {agentBot, ask, untilEnded} from "./bot.ts"
import {startModel} from "./model.ts"

const runs = 100

const requests = 3

/** The time of a model's answer, in milliseconds: about that of a hosted model, and none. */
const paces = [
  {takes: 1000, target: atMost(2)},
  {takes: 0, target: undefined},
] as const

/** The milliseconds from a message until its command's answer reaches the platform. */
const p99 = async (host: BenchHost): Promise<number> => {
  const times: number[] = []
  for (let request = 0; request < requests; request++)
    times.push(...(await sample(host)).map(([, answered]) => answered))
  return percentile(times, 0.99)
}

const measureOn = async (runtime: TestRuntime, {pairs}: RowOptions): Promise<readonly Figure[]> => {
  const model = await startModel()
  const made = agentBot(model.url)
  const host = await startHost(runtime, made)
  for (let round = 0; round < 2; round++) await p99(host)
  const figures: Figure[] = []
  for (const {takes, target} of paces) {
    let asked = 0
    let seconds = 0
    const busy = async () => {
      model.follow({calls: 1, takes})
      for (let run = 0; run < runs; run++) await ask(host)
      const [before, begun] = [model.asked(), performance.now()]
      const value = await p99(host)
      asked += model.asked() - before
      seconds += (performance.now() - begun) / 1000
      model.follow(undefined)
      await untilEnded(host)
      return value
    }
    const found = await measurePairs(pairs, busy, () => p99(host))
    figures.push({
      name: `p99 of a command beside ${runs} runs whose model takes ${takes} ms, on ${runtime.name}`,
      unit: "",
      value: found.ratio,
      ...(target === undefined ? {} : {target}),
      against: "the same Host without runs",
      detail: `${sides(found, "ms")}, ${(asked / seconds).toFixed(0)} model calls a second`,
    })
  }
  await host.end()
  model.close()
  return figures
}

export const agentBusy: Row = {
  name: "agent-busy",
  summary: "the latency of a command while a hundred runs of an agent call a model and a tool",
  measure: onEachRuntime(measureOn),
}
