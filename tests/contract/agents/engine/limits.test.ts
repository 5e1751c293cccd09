import {describe, expect, test} from "vitest"
import type {AgentSettings} from "../../../../shared/config/agents.ts"
import {type Plugin, Type} from "../../../../shared/sdk/sdk.ts"
import {usualLimits} from "../../../support/agents/bindings.ts"
import {agentsOn, askedBy} from "../../../support/agents/engine.ts"
import {type Script, startScriptedModel} from "../../../support/agents/scripted-model.ts"
import {memoryFolder, open, until} from "../../../support/database/databases.ts"
import {MortalDatabase} from "../../../support/database/mortal-database.ts"
import {converse} from "./conversation.ts"

const setup = (plugin: Plugin): void =>
  plugin.tool("act", {description: "Acts", parameters: Type.Object({n: Type.Integer()}), effect: "none"}, () => "more")

const usage = {input: 900, output: 100}

/** Calls a tool forever with changing arguments and uses a thousand tokens each time. */
const endless: Script = ({index}) => ({calls: [{name: "weather.act", args: {n: index}}], usage})

const limitsOf = (own: Partial<AgentSettings["limits"]>): Partial<AgentSettings> => ({limits: {...usualLimits, ...own}})

const prices = {input: 1, output: 10}

describe("a run ends at its limit of", () => {
  test("tokens, before the call that could exceed it", async () => {
    const {ask, model} = await converse({script: endless, setup, settings: limitsOf({tokens: 5000, output: 200})})
    const run = await ask("go")
    expect(run).toMatchObject({state: "failed", reason: "limit_tokens"})
    expect(run.tokens).toBe(1000 * model.requests.length)
    expect(run.tokens).toBeLessThanOrEqual(5000)
    expect(model.requests.length).toBeGreaterThan(3)
  })

  test("money, by the prices of the binding", async () => {
    // Each call costs 1.9 thousandths.
    const settings = {...limitsOf({money: 0.01, output: 200}), prices}
    const {ask, model} = await converse({script: endless, setup, settings})
    expect(await ask("go")).toMatchObject({state: "failed", reason: "limit_money"})
    expect(model.requests.length).toBeGreaterThan(2)
    expect(model.requests.length * 0.0019).toBeLessThanOrEqual(0.01)
  })

  test("seconds, counting both model and tools", async () => {
    const slow: Script = question => ({calls: [{name: "weather.act", args: {n: question.index}}], delay: 300, usage})
    const {ask, model} = await converse({script: slow, setup, settings: limitsOf({seconds: 1})})
    expect(await ask("go")).toMatchObject({state: "failed", reason: "limit_seconds"})
    expect(model.requests.length).toBeLessThanOrEqual(5)
  })
})

describe("a daily limit", () => {
  const one = {runs: 1}

  test.each([
    ["on the runs of a user", {user: one}, askedBy("ada", "again"), askedBy("grace", "first")],
    [
      "on the runs of a channel",
      {channel: one},
      askedBy("grace", "again"),
      {...askedBy("grace", "first"), channel: {id: "#other", type: 0}},
    ],
  ] as const)("%s", async (_, limits, refused, allowed) => {
    const {agents, ask} = await converse({script: [{text: "yes"}], settings: limitsOf(limits)})
    expect(await ask("go")).toMatchObject({state: "succeeded"})
    await expect(agents.queue(refused)).rejects.toMatchObject({code: "agent_limit"})
    await agents.queue(allowed)
  })

  test("on tokens counts all users together", async () => {
    const {ask, database} = await converse({
      script: endless,
      setup,
      settings: limitsOf({day: {tokens: 8000}, output: 200}),
    })
    expect(await ask("go", "ada")).toMatchObject({state: "failed", reason: "limit_day"})
    expect(await ask("go", "grace")).toMatchObject({state: "failed", reason: "limit_day", tokens: 0})
    const [spent] = await database.read("SELECT tokens FROM agent_spending WHERE subject = ''")
    expect(Number(spent?.tokens)).toBeLessThanOrEqual(8000)
  })

  test("on tokens holds for parallel runs", async () => {
    const settings = limitsOf({day: {tokens: 10_000}, output: 200, parallel: 16})
    // The reported usage is lower than the estimate.
    const script: Script = ({index}) => ({
      calls: [{name: "weather.act", args: {n: index}}],
      usage: {input: 150, output: 50},
    })
    const {agents, endOf, database, model} = await converse({script, setup, settings})
    const ids = await Promise.all(Array.from({length: 12}, (_, n) => agents.queue(askedBy(`user${n}`, "go"))))
    for (const id of ids) expect(await endOf(id)).toMatchObject({state: "failed", reason: "limit_day"})
    const [spent] = await database.read("SELECT tokens FROM agent_spending WHERE subject = ''")
    expect(Number(spent?.tokens)).toBe(200 * model.requests.length)
    expect(Number(spent?.tokens)).toBeLessThanOrEqual(10_000)
  })
})

test("parallel runs are limited to the number that the binding allows", async () => {
  let working = 0
  let most = 0
  const two = Promise.withResolvers<void>()
  const script: Script = async () => {
    most = Math.max(most, ++working)
    if (most === 2) two.resolve()
    await two.promise
    await new Promise(resolve => setTimeout(resolve, 30))
    working--
    return {text: "yes"}
  }
  const {agents, endOf} = await converse({script, settings: limitsOf({parallel: 2})})
  const ids = await Promise.all(Array.from({length: 8}, (_, n) => agents.queue(askedBy(`user${n}`, "go"))))
  for (const id of ids) expect(await endOf(id)).toMatchObject({state: "succeeded"})
  expect(most).toBe(2)
})

test.each([
  ["tokens", {tokens: 20_000}, "limit_tokens", 5],
  ["steps", {steps: 3}, "limit_steps", 3],
] as const)("a Host that dies in each model call spends at most the %s of a run", async (_, limits, reason, most) => {
  const database = await open({dialect: "sqlite", file: `${memoryFolder()}/data.sqlite`})
  const model = await startScriptedModel([{hang: "before"}])
  const live = (own: MortalDatabase) =>
    agentsOn({database: own, snapshot: () => ({tools: new Map()}), settings: {...limitsOf(limits), baseURL: model.url}})
  const first = new MortalDatabase(database)
  const {agents} = await live(first)
  await agents.start()
  const runId = await agents.queue(askedBy("ada", "go"))
  let mortal = first
  const rowOf = async () => (await database.read("SELECT * FROM agent_runs WHERE run_id = ?", [runId]))[0]
  for (let life = 1; ; life++) {
    await until("another call, or the end", async () => {
      return model.requests.length === life || (await rowOf())?.state === "failed"
    })
    if ((await rowOf())?.state === "failed") break
    await mortal.die()
    mortal = new MortalDatabase(database)
    await (await live(mortal)).agents.start()
  }
  await mortal.die()
  expect(await rowOf()).toMatchObject({state: "failed", reason})
  expect(model.requests).toHaveLength(most)
})
