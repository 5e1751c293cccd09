import {describe, expect, test} from "vitest"
import {type Plugin, Type} from "../../../../shared/sdk/sdk.ts"
import {usualLimits} from "../../../support/agents/bindings.ts"
import {FastClock} from "../../../support/agents/engine.ts"
import type {ModelQuestion} from "../../../support/agents/question.ts"
import {type Script, type ScriptedAnswer, startScriptedModel} from "../../../support/agents/scripted-model.ts"
import {freePort} from "../../../support/machine/ports.ts"
import {answer} from "../../../support/messages/answers.ts"
import {type ConversationParts, converse} from "./conversation.ts"

/** Models by their names, all at one scripted server, which stands in for a provider. */
type Scripts = Readonly<Record<string, (question: ModelQuestion) => ScriptedAnswer>>

const conversation = async (scripts: Scripts, parts: Omit<ConversationParts, "script"> = {}) => {
  const script: Script = question => scripts[question.model]?.(question) ?? {status: 500}
  const {url} = await startScriptedModel(script)
  const [, ...names] = Object.keys(scripts)
  const models = names.map(model => ({provider: "openai-compatible", model, baseURL: url}))
  const [first = ""] = Object.keys(scripts)
  return converse({script, ...parts, settings: {model: first, models, ...parts.settings}})
}

const usage = {input: 1000, output: 10}
const works = (): ScriptedAnswer => ({text: "From the next.", usage})

/** What the first model does, and whether its provider has said that it did nothing. */
const faults: readonly {name: string; fault: ScriptedAnswer; isFree: boolean}[] = [
  {name: "429 with two minutes to wait", fault: {status: 429, headers: {"retry-after": "120"}}, isFree: true},
  {name: "503", fault: {status: 503}, isFree: true},
  {name: "a wrong key", fault: {status: 401}, isFree: true},
  {name: "no credit", fault: {status: 402}, isFree: true},
  {name: "an unknown model", fault: {status: 404}, isFree: true},
  {name: "a request that it does not accept", fault: {status: 400}, isFree: true},
  {name: "a cut stream", fault: {text: "Once upon", cut: true}, isFree: false},
  {name: "an empty answer", fault: {text: ""}, isFree: true},
  {name: "a page", fault: {body: "<html></html>"}, isFree: false},
  {name: "silence before the headers", fault: {hang: "before"}, isFree: false},
  {name: "silence after the headers", fault: {hang: "headers"}, isFree: false},
  {name: "silence within its text", fault: {text: "Once upon", hang: "text"}, isFree: false},
]

test.for(faults)("after $name, the next model answers within 20 s, and is named", async ({fault, isFree}) => {
  const clock = new FastClock(6)
  const {ask, database} = await conversation({first: () => fault, second: works}, {clock})
  const run = await ask("hello")
  expect(run).toMatchObject({state: "succeeded", answer: "From the next."})
  expect(run.told).toEqual([expect.stringContaining(answer("agent.fallback", {model: "second"}))])
  const [row] = await database.read("SELECT * FROM agent_runs")
  expect(Number(row?.ended_at) - Number(row?.started_at)).toBeLessThan(20_000)
  const steps = await database.read("SELECT name, state, begun, error FROM agent_steps")
  expect(steps).toEqual([{name: "second", state: "done", begun: 2, error: null}])
  if (isFree) expect(run.tokens).toBeLessThan(usage.input + usage.output + 500)
  else expect(run.tokens).toBeGreaterThan(usage.input + usage.output + usualLimits.output)
  const [spent] = await database.read("SELECT tokens FROM agent_spending WHERE subject = ''")
  expect(spent?.tokens).toBe(run.tokens)
})

test("a server that nobody runs is answered for by the next model", async () => {
  const {url} = await startScriptedModel([works()])
  const baseURL = `http://127.0.0.1:${await freePort()}/v1`
  const settings = {baseURL, models: [{provider: "openai-compatible", model: "second", baseURL: url}]}
  const {ask} = await converse({script: [], settings})
  expect(await ask("hello")).toMatchObject({state: "succeeded", answer: "From the next."})
})

describe("a failed model", () => {
  test("rests for longer after each failure, and not at all after a success", async () => {
    const clock = new FastClock(1)
    let isDown = true
    const asked: string[] = []
    const ask = (name: string, reply: () => ScriptedAnswer) => () => {
      asked.push(name)
      return reply()
    }
    const first = ask("first", () => (isDown ? {status: 503} : {text: "Back."}))
    const talk = await conversation({first, second: ask("second", works)}, {clock})
    const askedAfter = async (seconds: number) => {
      clock.skip(seconds * 1000)
      asked.length = 0
      const {told} = await talk.ask("hello")
      return {asked: asked.join(" "), last: told.at(-1)}
    }
    expect((await askedAfter(0)).asked).toBe("first second")
    expect((await askedAfter(20)).asked).toBe("second")
    expect((await askedAfter(12)).asked).toBe("first second")
    expect((await askedAfter(50)).asked).toBe("second")
    isDown = false
    const {asked: last, last: told} = await askedAfter(12)
    expect(last).toBe("first")
    expect(told).not.toContain("second")
    isDown = true
    expect((await askedAfter(0)).asked).toBe("first second")
    expect((await askedAfter(31)).asked).toBe("first second")
  })

  test("that did not accept one request is still the first for other runs", async () => {
    const first = ({last}: ModelQuestion) => (last.text === "bad" ? {status: 400} : {text: "Fine."})
    const {ask} = await conversation({first, second: works})
    expect(await ask("bad")).toMatchObject({answer: "From the next."})
    expect(await ask("good")).toMatchObject({answer: "Fine."})
  })
})

describe("when all models rest,", () => {
  test("the run waits for the one that is ready first, and the answer of the usual model has no note", async () => {
    let calls = 0
    const first = () => (calls++ < 2 ? {status: 429, headers: {"retry-after": "20"}} : {text: "At last."})
    const second = () => ({status: 429, headers: {"retry-after": "300"}})
    const talk = await conversation({first, second})
    const run = await talk.ask("hello")
    expect(run).toMatchObject({state: "succeeded", answer: "At last."})
    expect(run.told).toEqual([expect.not.stringContaining("first")])
    expect(talk.clock.pauses.filter(pause => pause >= 19_000 && pause <= 20_000)).not.toEqual([])
    expect(talk.clock.pauses.filter(pause => pause > 60_000 && pause <= 300_000)).toEqual([])
  })

  test.each([
    ["refuses", {status: 401}, "provider_refused", 2],
    ["is down", {status: 503}, "provider_unavailable", 16],
    ["writes nonsense", {body: "<html></html>"}, "answer_malformed", 6],
  ])("the run fails as with one model once each %s", async (_, fault, reason, tries) => {
    const {ask, model} = await conversation({first: () => fault, second: () => fault})
    const steps = await ask("hello")
    expect(steps).toMatchObject({state: "failed", reason})
    expect(steps.told).toHaveLength(1)
    expect(model.requests.length).toBeLessThanOrEqual(tries)
  })
})

const setup = (plugin: Plugin): void =>
  plugin.tool("act", {description: "Acts", parameters: Type.Object({n: Type.Integer()}), effect: "none"}, () => "more")

describe("money", () => {
  test("is counted with the prices of the model that answers", async () => {
    const {url} = await startScriptedModel([{...works(), usage}])
    const settings = {
      prices: {input: 100, output: 100},
      models: [{provider: "openai-compatible", model: "second", baseURL: url, prices: {input: 2, output: 5}}],
    }
    const {ask, database} = await converse({script: [{status: 503}], settings})
    expect(await ask("hello")).toMatchObject({state: "succeeded"})
    const cost = usage.input * 2 + usage.output * 5
    expect(await database.read("SELECT money FROM agent_steps")).toEqual([{money: cost}])
    expect(await database.read("SELECT money FROM agent_runs")).toEqual([{money: cost}])
    expect(await database.read("SELECT money FROM agent_spending WHERE subject = ''")).toEqual([{money: cost}])
  })

  test.each(["money", "day"] as const)(
    "that the limit of %s no longer allows for one model goes to the next",
    async of => {
      const {url} = await startScriptedModel([works()])
      const limits = of === "money" ? {money: 0.1} : {day: {money: 0.1}}
      const free = {provider: "openai-compatible", model: "second", baseURL: url, prices: {input: 0, output: 0}}
      const script: Script = ({index}) => ({
        calls: [{name: "weather.act", args: {n: index}}],
        usage: {input: 100, output: 10},
      })
      const {ask, model} = await converse({
        script,
        setup,
        settings: {prices: {input: 100, output: 100}, models: [free], limits: {...usualLimits, output: 100, ...limits}},
      })
      const run = await ask("hello")
      expect(run).toMatchObject({state: "succeeded", answer: "From the next."})
      // Each call of the first model costs 0.011 and reserves several times as much.
      expect(model.requests.length).toBeGreaterThan(2)
      expect(model.requests.length).toBeLessThanOrEqual(9)
    },
  )
})
