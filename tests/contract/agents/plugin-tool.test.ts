import {expect, test} from "vitest"
import {type AgentTool, ToolCutOff} from "../../../server/agents/runs/tool.ts"
import {pluginTool} from "../../../server/agents/tools/plugin-tool.ts"
import {TimeLimitExceeded} from "../../../server/runtime/flow/time-limit.ts"
import {Problem, type ToolCall, type ToolDefinition, Type} from "../../../shared/sdk/sdk.ts"
import {publishWeather} from "../../support/agents/plugin-tools.ts"
import {runOf, useOf} from "../../support/agents/tool-use.ts"
import {localDatabase, open} from "../../support/database/databases.ts"

const parameters = Type.Object({city: Type.String()})

const requireTarget = ({endpoint}: {readonly endpoint: string}) => {
  if (endpoint !== "line") throw new Problem("endpoint_unknown", `there is no endpoint ${endpoint}`)
}

/** The tool `weather.now` as an agent sees it. */
const toolOf = async (run: (call: ToolCall<{city: string}>) => unknown, own: Partial<ToolDefinition> = {}) => {
  const {instance, snapshot} = await publishWeather(await open(await localDatabase()), plugin => {
    plugin.database.migrate([{name: "one", up: table => [`CREATE TABLE ${table("seen")} (city TEXT)`]}])
    plugin.tool("now", {description: "The weather", effect: "none", ...own, parameters}, run)
  })
  const published = snapshot.tools.get("weather.now")
  if (published === undefined) throw new Error("weather.now is not published")
  return {tool: pluginTool("weather.now", published, {requireTarget}), instance, snapshot}
}

const berlin = useOf({city: "Berlin"})
const answerOf = async (tool: AgentTool, use = berlin) => (await tool.run(use)).value

test("a declared tool is published under its plugin's name, and is a capability", async () => {
  const {tool, snapshot} = await toolOf(() => "sunny", {permission: "admin", approval: true, timeout: 5})
  expect(tool).toMatchObject({name: "weather.now", effect: "none", permission: "admin", approval: true, timeout: 5000})
  expect(tool.parameters).toMatchObject({additionalProperties: false})
  expect([...snapshot.tools.keys()]).toEqual(["weather.now"])
  expect(snapshot.capabilities.map(({id, description}) => [id, description])).toEqual([
    ["root/weather/tool/now", "The weather"],
  ])
})

test("a tool receives the user it is called for, and its answer goes to the model", async () => {
  const seen: ToolCall[] = []
  const {tool} = await toolOf(call => {
    seen.push(call)
    return {city: call.args.city, degrees: 21}
  })
  expect(tool).toMatchObject({permission: "user", approval: false, timeout: 30_000})
  expect(await answerOf(tool)).toEqual({city: "Berlin", degrees: 21})
  expect(seen[0]).toMatchObject({
    args: {city: "Berlin"},
    agent: "helper",
    runId: "run-1",
    key: "run-1/2",
    place: {endpoint: "line", channel: "#team"},
    user: {id: "ada", name: "Ada"},
    permission: "trusted",
  })
})

test("a run of a job has no channel and no user", async () => {
  const seen: ToolCall[] = []
  const {tool} = await toolOf(call => void seen.push(call))
  const run = runOf({endpoint: undefined, channel: undefined, user: undefined, permission: "admin"})
  expect(await answerOf(tool, {...berlin, run})).toBe("done")
  expect(seen[0]).toMatchObject({place: undefined, user: undefined, permission: "admin"})
})

test("sends and writes of a transaction are left for the batch of its row", async () => {
  const {tool} = await toolOf(
    async ({send, database, args}) => {
      await send({endpoint: "line", channel: "#news"}, args.city)
      await database.write([{sql: `INSERT INTO ${database.table("seen")} VALUES (?)`, args: [args.city]}])
    },
    {effect: "transaction"},
  )
  const {value, sends, statements} = await tool.run(berlin)
  expect(value).toBe("done")
  expect(sends).toMatchObject([{endpoint: "line", channel: "#news", kind: "message", content: ["Berlin"]}])
  expect(statements).toEqual([{sql: "INSERT INTO p_weather_seen VALUES (?)", args: ["Berlin"]}])
})

test.each(["none", "idempotent", "external"] as const)("a tool of effect %s neither sends nor writes", async effect => {
  const {tool} = await toolOf(
    async ({send, database}) => {
      const codes: unknown[] = []
      const note = (error: unknown) => codes.push(error instanceof Problem && error.code)
      await send({endpoint: "line", channel: "#news"}, "Berlin").catch(note)
      await database.write([{sql: "DELETE FROM p_weather_seen"}]).catch(note)
      return codes
    },
    {effect},
  )
  const {value, sends, statements} = await tool.run(berlin)
  expect({value, sends, statements}).toEqual({value: ["tool_effect", "tool_effect"], sends: [], statements: []})
})

test("a send to an unknown endpoint is refused", async () => {
  const {tool} = await toolOf(({send}) => send({endpoint: "away", channel: "#news"}, "x"), {effect: "transaction"})
  await expect(tool.run(berlin)).rejects.toMatchObject({code: "endpoint_unknown"})
})

test("calls that a tool makes after its end are refused", async () => {
  const kept: ToolCall[] = []
  const {tool} = await toolOf(call => void kept.push(call), {effect: "transaction"})
  await tool.run(berlin)
  const [call] = kept
  const late = {code: "late"}
  await expect(call?.send({endpoint: "line", channel: "#news"}, "x")).rejects.toMatchObject(late)
  await expect(call?.database.write([{sql: "SELECT 1"}])).rejects.toMatchObject(late)
  await expect(call?.database.read("SELECT 1")).rejects.toMatchObject(late)
})

test("a tool that throws leaves nothing behind", async () => {
  const kept: ToolCall[] = []
  const {tool} = await toolOf(
    async call => {
      kept.push(call)
      await call.send({endpoint: "line", channel: "#news"}, "x")
      throw new Error("no weather today")
    },
    {effect: "transaction"},
  )
  await expect(tool.run(berlin)).rejects.toThrow("no weather today")
  await expect(kept[0]?.send({endpoint: "line", channel: "#news"}, "x")).rejects.toMatchObject({code: "late"})
})

test("a tool that does not end is aborted at its time limit, or when its run is cancelled", async () => {
  const signals: AbortSignal[] = []
  const {tool} = await toolOf(
    call => {
      signals.push(call.signal)
      return new Promise(() => {})
    },
    {timeout: 0.01},
  )
  await expect(tool.run(berlin)).rejects.toBeInstanceOf(TimeLimitExceeded)
  const run = new AbortController()
  const running = tool.run({...berlin, signal: run.signal})
  run.abort(new Error("cancelled"))
  await expect(running).rejects.toThrow("cancelled")
  expect(signals.map(({aborted}) => aborted)).toEqual([true, true])
})

test("the end of its plugin cuts a call off, and later calls do not start", async () => {
  const begun: ToolCall[] = []
  const {tool, instance} = await toolOf(call => {
    begun.push(call)
    return new Promise(() => {})
  })
  const running = expect(tool.run(berlin)).rejects.toBeInstanceOf(ToolCutOff)
  await instance.dispose(1)
  await running
  expect(begun[0]?.signal.aborted).toBe(true)
  await expect(tool.run(berlin)).rejects.toMatchObject({code: "not_active"})
  expect(begun.length).toBe(1)
})

test("a long result is cut with a note, and a result that is not JSON is reported", async () => {
  const results: unknown[] = [
    "x".repeat(70_000),
    {all: "😀".repeat(40_000)},
    {big: 1n},
    () => {},
    null,
    ["a", undefined],
    "\ud800",
  ]
  const {tool} = await toolOf(() => results.shift())
  expect(await answerOf(tool)).toBe(`${"x".repeat(65_536)}\n[Cut: only the first 65536 of 70000 characters are shown.]`)
  const json = String(await answerOf(tool))
  expect(json.startsWith('{"all":"😀')).toBe(true)
  expect(json.isWellFormed()).toBe(true)
  expect(json).toContain("of 80010 characters are shown.]")
  expect(await answerOf(tool)).toMatch(/^done, but .*\bJSON\b/)
  expect(await answerOf(tool)).toContain("it is function")
  expect(await answerOf(tool)).toBeNull()
  expect(await answerOf(tool)).toEqual(["a", null])
  expect(await answerOf(tool)).toBe("\ufffd")
})
