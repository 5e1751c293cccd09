import type {TestRuntime} from "../../support/host/runtimes.ts"
import {atMost, type Figure, short} from "../measure/figure.ts"
import {type BenchHost, startHost} from "../measure/host.ts"
import {percentile, spreadOf} from "../measure/statistics.ts"
import {onEachRuntime, type Row, type RowOptions} from "../row.ts"
import {agentBot, ask, untilEnded} from "./bot.ts"
import {type BenchModel, startModel} from "./model.ts"

/** Model calls of one sample. */
const turns = 40
/** Calls that an answer asks for where steps of tools are counted. */
const many = 11

/** The median of what the Host needs from the end of one answer to its next question, in milliseconds. */
const gapOf = async (host: BenchHost, model: BenchModel, calls: number): Promise<number> => {
  model.follow({calls, takes: 0})
  await ask(host)
  while (model.gaps.length < turns) await new Promise(resolve => setTimeout(resolve, 5))
  const gap = percentile(model.gaps.slice(0, turns), 0.5)
  model.follow(undefined)
  await untilEnded(host)
  return gap
}

const measureOn = async (runtime: TestRuntime, {pairs}: RowOptions): Promise<readonly Figure[]> => {
  const model = await startModel()
  const made = agentBot(model.url)
  const host = await startHost(runtime, made)
  // The first are for the compiler.
  for (let round = 0; round < 5; round++) await gapOf(host, model, 1)
  const each: number[] = []
  const tools: number[] = []
  for (let round = 0; round < pairs; round++) {
    const one = await gapOf(host, model, 1)
    each.push(one / 2)
    tools.push(((await gapOf(host, model, many)) - one) / (many - 1))
  }
  await host.stop()
  made.remove()
  model.close()
  return [
    {
      name: `p50 of one durable step, on ${runtime.name}`,
      unit: "ms",
      value: spreadOf(each),
      target: atMost(2),
      against: "the model server's own time is taken off",
      detail: `a model call and a call of a tool in turn; a step of a tool alone ${short(spreadOf(tools).median)} ms`,
    },
  ]
}

export const agentStep: Row = {
  name: "agent-step",
  summary: "what the Host adds to each model call and tool call of one run: both rows before and after it, durable",
  measure: onEachRuntime(measureOn),
}
