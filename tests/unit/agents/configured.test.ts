import {describe, expect, test} from "vitest"
import {bindingIssues, searchIssues} from "../../../server/agents/bindings/bindings.ts"
import {type BindingFacts, configurationOf} from "../../../server/agents/bindings/configured.ts"
import {parseConfig} from "../../../server/config/load.ts"
import type {Binding} from "../../../shared/agents/binding.ts"
import type {BindingReason} from "../../../shared/agents/standing.ts"
import {formatIssue} from "../../../shared/problems.ts"

const bindingOf = (yaml: string, more: Partial<Binding> = {}): Binding => {
  const config = parseConfig(
    {file: "svc.config.yml", sha256: "", text: `http: {port: 0}\nagents:\n  writer: {${yaml}}\n`},
    {MODEL_KEY: "key-of-the-test"},
  ).config.agents.writer
  if (config === undefined) throw new Error("no binding")
  return {name: "writer", config, instructions: config.instructions ?? "", fileProblem: undefined, ...more}
}

const sound = 'provider: anthropic, model: large, key: "${MODEL_KEY}", instructions: Write.'
const local = 'provider: openai-compatible, baseURL: "http://127.0.0.1:11434/v1", model: small, instructions: Write.'
const usual = '{provider: anthropic, model: large, key: "${MODEL_KEY}"}'
const all: BindingFacts = {hasTool: () => undefined, isInstalled: () => true}

test.each([
  sound,
  local,
  `instructions: Write., models: [${usual}]`,
  `${sound}, models: [${usual}]`,
  `${local}, tools: {send: {}}`,
  sound.replace("anthropic", "google"),
])("%s is configured", yaml => expect(configurationOf(bindingOf(yaml), all)).toEqual({configured: true}))

describe("a binding is not configured", () => {
  const withoutKey = sound.replace('key: "${MODEL_KEY}", ', "")
  test.each<[BindingReason, string, string, Partial<BindingFacts>]>([
    ["agent_disabled", `${sound}, enabled: false`, "disabled", {}],
    ["agent_provider_unknown", sound.replace("anthropic", "antropic"), 'did you mean "anthropic"?', {}],
    ["agent_provider_unknown", sound.replace("anthropic", "constructor"), '"constructor"', {}],
    ["agent_provider_missing", sound, "@ai-sdk/anthropic", {isInstalled: () => false}],
    ["agent_model_missing", sound.replace("large", '" "'), "no model", {}],
    ["agent_key_missing", withoutKey, "needs one", {}],
    ["agent_key_missing", `${withoutKey}, baseURL: "http://127.0.0.1:9"`, "needs one", {}],
    ["agent_key_missing", withoutKey.replace("anthropic", "google"), "needs one", {}],
    ["agent_key_missing", withoutKey.replace("anthropic", "openai-compatible"), "needs one", {}],
    ["agent_instructions_missing", sound.replace(", instructions: Write.", ""), "no instructions", {}],
    ["agent_prices_missing", `${sound}, limits: {day: {money: 5}}`, "no prices", {}],
    ["agent_provider_unknown", `${sound}, models: [{provider: antropic, model: m}]`, "anthropic", {}],
    ["agent_provider_unknown", `${sound}, memory: {embedding: ${usual}}`, "no embedding models", {}],
    ["agent_key_missing", `${sound}, memory: {embedding: {provider: google, model: m}}`, "needs one", {}],
    ["agent_key_missing", `instructions: Write., models: [${usual}, {provider: google, model: m}]`, "needs one", {}],
    [
      "agent_prices_missing",
      `${sound}, prices: {input: 1, output: 1}, limits: {money: 5}, models: [${usual}]`,
      "no prices",
      {},
    ],
    [
      "agent_tool_missing",
      `${sound}, tools: {send: {}, a.b: {}}`,
      "a.b: no such tool.",
      {hasTool: name => (name === "a.b" ? "no such tool" : undefined)},
    ],
  ])("%s: %s", (reason, yaml, said, facts) => {
    const standing = configurationOf(bindingOf(yaml), {...all, ...facts})
    expect(standing).toMatchObject({configured: false, reason, message: expect.stringContaining(said)})
    expect(JSON.stringify(standing)).not.toContain("key-of-the-test")
  })

  test("when its file cannot be read, or is empty", () => {
    const file = sound.replace("instructions: Write.", "instructionsFile: writer.md")
    const unread = bindingOf(file, {fileProblem: "There is no file writer.md"})
    const message = (binding: Binding) => {
      const standing = configurationOf(binding, all)
      return standing.configured ? "" : `${standing.reason}: ${standing.message}`
    }
    expect(message(unread)).toMatch(/^agent_instructions_missing: .*\bwriter\.md\b/)
    expect(message(bindingOf(file))).toMatch(/writer\.md is empty\.$/)
  })
})

test("each finding has its position in the file, and a disabled binding has none", () => {
  const text = `http: {port: 0}
agents:
  off: {enabled: false, provider: nonsense, model: none}
  writer:
    provider: anthropic
    model: large
    key: \${MODEL_KEY}
    instructions: Write.
    tools:
      nothing: {}
`
  const loaded = parseConfig({file: "svc.config.yml", sha256: "", text}, {MODEL_KEY: "key-of-the-test"})
  const standings = Object.fromEntries(
    Object.entries(loaded.config.agents).map(([name, config]) => [
      name,
      configurationOf(
        {name, config, instructions: config.instructions ?? "", fileProblem: undefined},
        {...all, hasTool: () => "there is no tool of that name"},
      ),
    ]),
  )
  expect(bindingIssues(loaded.source, standings).map(formatIssue)).toEqual([
    expect.stringMatching(/^svc\.config\.yml:10:7 agents\.writer\.tools\.nothing: .*\btool\b/),
  ])
})

test.each([
  ["{}", []],
  ["{unhandled: 7d}", ["agents.writer.tools.search"]],
  ["{unhandled: 7d, handled: {age: 0s}}", ["agents.writer.tools.search"]],
  ["{unhandled: 30d}", []],
])("with retention %s, agents that search lose messages early: %j", (retention, keys) => {
  const text = `retention: ${retention}
agents:
  off: {enabled: false, provider: anthropic, model: m, instructions: Write., tools: {search: {}}}
  plain: {provider: anthropic, model: m, instructions: Write.}
  writer: {provider: anthropic, model: m, instructions: Write., tools: {search: {}}}
`
  const {source, config} = parseConfig({file: "svc.config.yml", sha256: "", text}, {})
  expect(searchIssues(source, config).map(({path}) => path)).toEqual(keys)
})

test.each([
  ["", {runs: 30}, {tokens: 2_000_000}],
  [", limits: {user: none, day: none}", {}, {}],
  [", limits: {user: {money: 1}, day: null}", {money: 1}, {tokens: 2_000_000}],
])("limits of a day have defaults, which none lifts: %j", (yaml, user, day) => {
  const {limits} = bindingOf(`${local}${yaml}`).config
  expect({user: limits.user, day: limits.day}).toEqual({user, day})
})
