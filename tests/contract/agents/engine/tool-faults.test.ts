import {describe, expect, onTestFinished, test} from "vitest"
import {type Plugin, type ToolCall, type ToolEffect, Type} from "../../../../shared/sdk/sdk.ts"
import {usualLimits} from "../../../support/agents/bindings.ts"
import {askedBy} from "../../../support/agents/engine.ts"
import {publishWeather} from "../../../support/agents/plugin-tools.ts"
import type {Script} from "../../../support/agents/scripted-model.ts"
import {memoryFolder, open, until} from "../../../support/database/databases.ts"
import {answer} from "../../../support/messages/answers.ts"
import {converse} from "./conversation.ts"

const parameters = Type.Object({what: Type.Optional(Type.String())})

const declare =
  (effect: ToolEffect, run: (call: ToolCall<{what?: string}>) => unknown, timeout = 30) =>
  (plugin: Plugin): void =>
    plugin.tool("act", {description: "Acts", parameters, effect, timeout}, run)

/** Calls the tool once with these arguments and answers with its result. */
const once =
  (args: unknown = {}, name = "weather.act"): Script =>
  ({results, last}) =>
    results === 0 ? {calls: [{name, args}]} : {text: `told: ${last.text}`}

const circle: Record<string, unknown> = {}
circle.self = circle

describe.each(["none", "transaction", "idempotent", "external"] as const)("a tool with the effect %s", effect => {
  test("that throws has failed, and the model receives the reason", async () => {
    const setup = declare(effect, () => {
      throw new Error("no milk")
    })
    const run = await (await converse({script: once(), setup})).ask("go")
    expect(run).toMatchObject({state: "succeeded", answer: 'told: {"error":"no milk"}', calls: ["failed tool_failed"]})
  })

  test("that never ends and ignores its signal is stopped by its time limit", async () => {
    const setup = declare(effect, () => new Promise(() => {}), 1)
    const run = await (await converse({script: once(), setup})).ask("go")
    expect(run.state).toBe("succeeded")
    const isExternal = effect === "external"
    expect(run.calls).toEqual([isExternal ? "unknown tool_unknown_outcome" : "failed tool_timeout"])
    expect(run.results[0]).toMatch(isExternal ? / may or may / : / after 1 s/)
    expect(
      run.told.filter(
        text =>
          text.includes(answer("agent.unknown", {agent: "helper", tool: "weather.act"})) && !text.includes("told:"),
      ),
    ).toHaveLength(isExternal ? 1 : 0)
  })

  test("is run again by the new plugin after a reload during the call, unless it is external", async () => {
    const database = await open({dialect: "sqlite", file: `${memoryFolder()}/data.sqlite`})
    await database.write([{sql: "SELECT 1"}])
    const {promise: isCalled, resolve: call} = Promise.withResolvers<void>()
    const setupOld = declare(effect, () => {
      call()
      return new Promise(() => {})
    })
    const older = await publishWeather(database, setupOld)
    const newer = await publishWeather(
      database,
      declare(effect, () => "from the new one"),
    )
    let {snapshot} = older
    const {agents, endOf} = await converse({
      script: once(),
      setup: () => {},
      settings: {tools: {"weather.act": {}}},
      snapshot: () => snapshot,
    })
    const runId = await agents.queue(askedBy("ada", "go"))
    await isCalled
    snapshot = newer.snapshot
    await older.instance.dispose(0)
    const {state, calls, results} = await endOf(runId)
    expect(state).toBe("succeeded")
    if (effect === "external") expect(calls).toEqual(["unknown tool_unknown_outcome"])
    else expect({calls, results}).toEqual({calls: ["done"], results: ["from the new one"]})
  })
})

const raise = (): never => {
  throw new Error("not here")
}

test.each([
  ["a circle", () => circle],
  ["a BigInt", () => ({n: 1n})],
  ["a function", () => () => {}],
  ["a getter that throws", () => Object.defineProperty({}, "x", {enumerable: true, get: () => raise()})],
])("a result that is %s is reported as done, without its value", async (_, result) => {
  const run = await (await converse({script: once(), setup: declare("none", result)})).ask("go")
  expect(run).toMatchObject({state: "succeeded", calls: ["done"]})
  expect(run.results[0]).toMatch(/^done/)
})

test("the model receives only the start of a 10 MB result", async () => {
  const {ask, model} = await converse({script: once(), setup: declare("none", () => "milk ".repeat(2_000_000))})
  const run = await ask("go")
  expect(run.calls).toEqual(["done"])
  expect(run.results[0]?.length).toBeLessThan(66_000)
  expect(model.requests[1]?.last.text).toContain("of 10000000 characters")
})

test("a statement that the database rejects fails the call and stores nothing", async () => {
  const setup = declare("transaction", async ({send, database}) => {
    await send({endpoint: "line", channel: "#news"}, "milk")
    await database.write([
      {sql: "INSERT INTO p_weather_notes VALUES (1)"},
      {sql: "INSERT INTO p_weather_notes VALUES (-1)"},
    ])
  })
  const tables = ["CREATE TABLE p_weather_notes (n INTEGER CHECK (n > 0))"]
  const {ask, database} = await converse({script: once(), setup, tables})
  expect(await ask("go")).toMatchObject({state: "succeeded", calls: ["failed tool_failed"]})
  expect(await database.read("SELECT * FROM p_weather_notes")).toEqual([])
  expect(await database.read("SELECT * FROM outbox WHERE channel = '#news'")).toEqual([])
})

test("a send without the effect transaction is refused, and the tool receives the error", async () => {
  const setup = declare("external", ({send}) => send({endpoint: "line", channel: "#news"}, "milk"))
  const {ask, database} = await converse({script: once(), setup})
  const run = await ask("go")
  expect(run.calls).toEqual(["failed tool_failed"])
  expect(run.results[0]).toContain("has the effect external: send() is not allowed")
  expect(await database.read("SELECT * FROM outbox WHERE channel = '#news'")).toEqual([])
})

describe("a model that asks for", () => {
  const setup = declare("none", () => "milk")

  test("an unknown tool receives the list of known tools", async () => {
    const run = await (await converse({script: once({}, "weather.fly"), setup})).ask("go")
    expect(run).toMatchObject({state: "succeeded", calls: ["refused tool_unknown"]})
    expect(run.results[0]).toContain("weather.act")
  })

  test.each(["{not json", '"text"', "[]", '{"what": 1}', '{"more": 1}', '{"__proto__": {}}'])(
    "invalid arguments such as %s receives the reason",
    async args => {
      const run = await (await converse({script: once(args), setup})).ask("go")
      expect(run).toMatchObject({state: "succeeded", calls: ["refused tool_arguments"]})
      expect(run.results[0]).toContain("The arguments of weather.act do not fit")
    },
  )

  test("the same call forever ends its run with tools_endless", async () => {
    const {ask, model} = await converse({script: [{calls: [{name: "weather.act", args: {what: "x"}}]}], setup})
    expect(await ask("go")).toMatchObject({state: "failed", reason: "tools_endless"})
    expect(model.requests).toHaveLength(6)
  })

  test("different calls forever ends its run with limit_steps", async () => {
    const {ask} = await converse({
      script: ({index}) => ({calls: [{name: "weather.act", args: {what: `${index}`}}]}),
      setup,
    })
    expect(await ask("go")).toMatchObject({state: "failed", reason: "limit_steps", steps: usualLimits.steps})
  })

  test("unknown tools forever ends its run with limit_steps", async () => {
    const {ask} = await converse({script: ({index}) => ({calls: [{name: `weather.no${index}`}]}), setup})
    expect(await ask("go")).toMatchObject({state: "failed", reason: "limit_steps"})
  })

  test("a hundred calls at once gets as many as the steps allow", async () => {
    const calls = Array.from({length: 100}, (_, index) => ({name: "weather.act", args: {what: `${index}`}}))
    const {ask, model} = await converse({script: [{calls}], setup})
    const run = await ask("go")
    expect(run).toMatchObject({state: "failed", reason: "limit_steps", steps: usualLimits.steps})
    expect(run.calls.filter(call => call === "done")).toHaveLength(usualLimits.steps - 1)
    expect(model.requests).toHaveLength(1)
  })
})

test("a call that was cut off is asked of a person when the model repeats it", async () => {
  let calls = 0
  const setup = declare("external", () => (++calls === 1 ? new Promise(() => {}) : "sent"), 1)
  const script: Script = ({results, last}) =>
    results < 2 ? {calls: [{name: "weather.act", args: {what: "mail"}}]} : {text: `told: ${last.text}`}
  const {agents, database, endOf} = await converse({script, setup})
  const runId = await agents.queue(askedBy("ada", "go"))
  const approval = await until("the question", async () => {
    const [row] = await database.read("SELECT id FROM agent_approvals WHERE state = 'waiting'")
    return row && String(row.id)
  })
  expect(calls).toBe(1)
  await agents.decide(approval, {approve: true, by: "grace"})
  const run = await endOf(runId)
  expect(run).toMatchObject({answer: "told: sent", calls: ["unknown tool_unknown_outcome", "done"]})
  expect(run.told.some(text => text.includes(answer("agent.again")))).toBe(true)
})

test("a cancelled run aborts its tool", async () => {
  const {promise: isCalled, resolve: call} = Promise.withResolvers<AbortSignal>()
  const setup = declare("none", ({signal}) => {
    call(signal)
    return new Promise(() => {})
  })
  const {agents, endOf} = await converse({script: once(), setup})
  const runId = await agents.queue(askedBy("ada", "go"))
  const signal = await isCalled
  onTestFinished(() => expect(signal.aborted).toBe(true))
  await agents.cancel(runId, "grace")
  expect(await endOf(runId)).toMatchObject({state: "cancelled", calls: ["failed cancelled"]})
})
