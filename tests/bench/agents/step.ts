import {type Database, openDatabase} from "../../../server/database/database.ts"
import type {TestRuntime} from "../../support/host/runtimes.ts"
import {atMost, type Figure, ratioOf, short} from "../measure/figure.ts"
import {type BenchHost, startHost} from "../measure/host.ts"
import {pairsOf} from "../measure/pairs.ts"
import {cpuSeconds} from "../measure/process-stat.ts"
import {percentile, spreadOf} from "../measure/statistics.ts"
import {onEachRuntime, type Row, type RowOptions} from "../row.ts"
import {agentBot, ask, untilEnded} from "./bot.ts"
import {type BenchModel, startModel} from "./model.ts"

const turns = 40
/** The number of tool calls per answer when tool steps are measured. */
const many = 11

/** The median of the Host's time from the end of an answer to its next request, in milliseconds. */
const gapOf = async (host: BenchHost, model: BenchModel, calls: number): Promise<number> => {
  model.follow({calls, takes: 0})
  await ask(host)
  while (model.gaps.length < turns) await new Promise(resolve => setTimeout(resolve, 5))
  const gap = percentile(model.gaps.slice(0, turns), 0.5)
  model.follow(undefined)
  await untilEnded(host)
  return gap
}

/** The median time of two consecutive durable writes of a row, in milliseconds. */
const twoWrites = async (database: Database): Promise<number> => {
  const times: number[] = []
  for (let n = 0; n < turns; n++) {
    const begun = performance.now()
    for (let write = 0; write < 2; write++)
      await database.write([{sql: "INSERT INTO yardstick VALUES (?)", args: ["x".repeat(200)]}])
    times.push(performance.now() - begun)
  }
  return percentile(times, 0.5)
}

const openYardstick = async (folder: string): Promise<Database> => {
  const options = {runtimeId: "bench", signal: new AbortController().signal, onLeaseLost: () => {}}
  const database = await openDatabase({dialect: "sqlite", file: `${folder}/yardstick.sqlite`}, options)
  await database.write([{sql: "CREATE TABLE yardstick (text TEXT)"}])
  await twoWrites(database)
  return database
}

const measureOn = async (runtime: TestRuntime, {pairs}: RowOptions): Promise<readonly Figure[]> => {
  const model = await startModel()
  const made = agentBot(model.url)
  const host = await startHost(runtime, made)
  const database = await openYardstick(made.folder)
  // Warm-up for the compiler.
  for (let round = 0; round < 5; round++) await gapOf(host, model, 1)
  const [each, tools, writes, processor]: [number[], number[], number[], number[]] = [[], [], [], []]
  for (let round = 0; round < pairs; round++) {
    const before = cpuSeconds(host.pid)
    const one = await gapOf(host, model, 1)
    processor.push(((cpuSeconds(host.pid) - before) * 1000) / (2 * turns))
    each.push(one / 2)
    writes.push(await twoWrites(database))
    tools.push(((await gapOf(host, model, many)) - one) / (many - 1))
  }
  await database.close()
  await host.end()
  model.close()
  const found = pairsOf(each, writes)
  return [
    {
      name: `p50 of one durable step, on ${runtime.name}`,
      unit: "ms",
      value: found.subject,
      target: atMost(2),
      against: "without the model server's own time",
      detail: `${short(spreadOf(tools).median)} ms for a step of a tool alone, ${short(spreadOf(processor).median)} ms of the processor for each step`,
    },
    ratioOf(`p50 of one durable step, on ${runtime.name}`, found, "two durable writes of a row on the same disk", "ms"),
  ]
}

export const agentStep: Row = {
  name: "agent-step",
  summary: "the Host's overhead for each model call and tool call of one run: a durable row before it and one after it",
  measure: onEachRuntime(measureOn),
}
