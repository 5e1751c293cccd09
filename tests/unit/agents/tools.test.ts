import {expect, test} from "vitest"
import type {AgentTool} from "../../../server/agents/runs/tool.ts"
import {checkArguments} from "../../../server/agents/tools/arguments.ts"
import {mayCall, resolveTools, toolProblem} from "../../../server/agents/tools/resolve.ts"
import {toolTable} from "../../../server/agents/tools/table.ts"
import type {PublishedTool} from "../../../server/generation/kinds/tool.ts"
import type {Binding} from "../../../shared/agents/binding.ts"
import type {ToolSettings} from "../../../shared/config/agents.ts"
import {Type} from "../../../shared/type.ts"

const toolOf = (name: string, own: Partial<AgentTool> = {}): AgentTool => ({
  name,
  description: `Does ${name}`,
  parameters: Type.Object({}),
  effect: "none",
  permission: "trusted",
  approval: false,
  timeout: 1000,
  run: async () => ({value: name}),
  ...own,
})

const bindingOf = (tools: Record<string, ToolSettings>) => ({name: "helper", config: {tools}}) as unknown as Binding

const published = (...names: string[]) => new Map(names.map(name => [name, {id: name} as PublishedTool]))

test("a table has svc's own tools and each plugin's tool once", () => {
  const made: string[] = []
  const table = toolTable([toolOf("send")], published("weather.now", "notes.add"), name => {
    made.push(name)
    return toolOf(name)
  })
  expect(table.names).toEqual(["send", "weather.now", "notes.add"])
  expect(made).toEqual([])
  expect(table.get("weather.now")).toBe(table.get("weather.now"))
  expect(table.get("send")?.name).toBe("send")
  expect(table.get("toString")).toBeUndefined()
  expect(made).toEqual(["weather.now"])
})

test("a plugin's tool does not replace one of svc's own", () => {
  const own = toolOf("workroom.add")
  const table = toolTable([own], published("workroom.add", "workroom.sweep"), name => toolOf(name))
  expect(table.get("workroom.add")).toBe(own)
  expect(table.names).toEqual(["workroom.add", "workroom.sweep"])
})

test("a binding has exactly the tools that it lists", () => {
  const table = toolTable([toolOf("send"), toolOf("timer")], new Map(), name => toolOf(name))
  expect([...resolveTools(bindingOf({timer: {}}), table).keys()]).toEqual(["timer"])
  expect(toolProblem(bindingOf({timer: {}}), "timer", table)).toBeUndefined()
})

test("missing tools, and reasons why a binding lacks a tool, are reported by name", () => {
  const table = toolTable(
    [toolOf("send", {problem: ({config}) => (config.tools.send?.to === undefined ? "it needs to" : undefined)})],
    published("weather.now"),
    name => toolOf(name),
  )
  const binding = bindingOf({send: {}, "weather.noow": {}, "weather.now": {}})
  expect([...resolveTools(binding, table).keys()]).toEqual(["weather.now"])
  expect(toolProblem(binding, "send", table)).toBe("it needs to")
  expect(toolProblem(binding, "weather.noow", table)).toMatch(/"weather\.noow".*"weather\.now"/)
})

test("a binding may require approval, but not waive it", () => {
  const table = toolTable([toolOf("send", {approval: true}), toolOf("timer")], new Map(), name => toolOf(name))
  const asking = (tools: Record<string, ToolSettings>) =>
    [...resolveTools(bindingOf(tools), table).values()].map(({approval}) => approval)
  expect(asking({send: {}, timer: {}})).toEqual([true, false])
  expect(asking({send: {approval: false}, timer: {approval: true}})).toEqual([true, true])
})

test("a binding's permission replaces the tool's, higher or lower", () => {
  const table = toolTable([toolOf("send")], new Map(), name => toolOf(name))
  const listed = (send: ToolSettings) => resolveTools(bindingOf({send}), table).get("send") ?? toolOf("missing")
  expect(listed({permission: "admin"}).permission).toBe("admin")
  expect(mayCall(listed({permission: "admin"}), "trusted")).toBe(false)
  expect(mayCall(listed({permission: "user"}), "user")).toBe(true)
})

test("a call needs the tool's permission, and without a permission it is refused", () => {
  expect(mayCall(toolOf("send"), "user")).toBe(false)
  expect(mayCall(toolOf("send"), "trusted")).toBe(true)
  expect(mayCall(toolOf("send"), "admin")).toBe(true)
  expect(mayCall(toolOf("send", {permission: "user"}), undefined)).toBe(false)
})

const asked = {
  name: "weather.now",
  parameters: Type.Object(
    {city: Type.String({minLength: 1}), days: Type.Optional(Type.Integer({minimum: 1}))},
    {additionalProperties: false},
  ),
}

test("arguments that fit are passed unchanged", () => {
  expect(checkArguments(asked, '{"city": "Berlin", "days": 2}')).toEqual({is: "fit", args: {city: "Berlin", days: 2}})
  expect(checkArguments({name: "now", parameters: Type.Object({})}, " ")).toEqual({is: "fit", args: {}})
})

test.each([
  ["no JSON", "{city: Berlin}", "they are not JSON"],
  ["cut JSON", '{"city": "Ber', "they are not JSON"],
  ["text", '"Berlin"', "expected a JSON object."],
  ["a list", "[]", "expected a JSON object."],
  ["missing a required value", "", "city: is missing"],
  ["a wrong type", '{"city": 7}', "city: expected text, got 7"],
  ["an unknown key", '{"city": "Berlin", "day": 2}', 'day: unknown key (did you mean "days"?)'],
  [
    "two faults",
    '{"city": "", "days": 0}',
    "city: expected text that is not empty; days: expected a number >= 1, got 0",
  ],
  ["too much", `{"city": "${"a".repeat(256 * 1024)}"}`, "at most 262144 are allowed."],
])("arguments that are %s are reported", (_, json, why) => {
  const checked = checkArguments(asked, json)
  expect(checked.is === "wrong" && checked.message).toContain(`The arguments of weather.now do not fit: `)
  expect(checked.is === "wrong" && checked.message).toContain(why)
})

test("no tool receives prototype keys or endless parts", () => {
  const open = {name: "any", parameters: Type.Object({}, {additionalProperties: true})}
  const messageOf = (json: string) => {
    const checked = checkArguments(open, json)
    return checked.is === "wrong" ? checked.message : "fits"
  }
  expect(messageOf('{"__proto__": {"admin": true}}')).toContain('the key "__proto__" is not allowed')
  expect(messageOf('{"a": [{"constructor": {"prototype": {}}}]}')).toContain('the key "constructor" is not allowed')
  expect(messageOf(`{"a": ${"[".repeat(65)}${"]".repeat(65)}}`)).toContain("more than 64 deep")
  expect(messageOf(`{"a": ${"[".repeat(100_000)}${"]".repeat(100_000)}}`)).toContain("do not fit")
  expect(messageOf('{"a": [{"b": 1}]}')).toBe("fits")
})

test("only some of many errors are reported", () => {
  const many = {name: "many", parameters: Type.Object({all: Type.Array(Type.Integer())})}
  const checked = checkArguments(many, JSON.stringify({all: Array.from({length: 25}, () => "x")}))
  expect(checked.is === "wrong" && checked.message).toMatch(/all\[0\]: expected .*; and 15 more$/)
})
