import {describe, expect, test} from "vitest"
import {detailsOf} from "../../../server/agents/providers/details.ts"
import type {StreamPart} from "../../../server/agents/providers/language-model.ts"
import type {ModelMessage, ModelRequest} from "../../../server/agents/providers/model.ts"
import {promptOf} from "../../../server/agents/providers/prompt.ts"
import {ReplyReader} from "../../../server/agents/providers/reply.ts"
import {Type} from "../../../shared/type.ts"

const source = "anthropic/claude"
const options = {source, hide: (text: string) => text}

const request = (messages: readonly ModelMessage[], more: Partial<ModelRequest> = {}): ModelRequest => ({
  instructions: "You help.",
  messages,
  tools: [],
  output: 100,
  ...more,
})

const promptFor = (...messages: readonly ModelMessage[]) => promptOf(request(messages), options).prompt

const user: ModelMessage = {role: "user", text: "hello"}
const result = (call: string): ModelMessage => ({role: "tool", call, name: "look", result: `result of ${call}`})
const asking = (input: string, details?: unknown): ModelMessage => ({
  role: "assistant",
  text: "I look.",
  calls: [{id: "a", name: "look", input}],
  details,
})

describe("a request to a provider", () => {
  test("has the instructions as the system's, copies of the tool schemas, and a token limit", () => {
    const parameters = Type.Object({text: Type.String()})
    const {prompt, tools, maxOutputTokens} = promptOf(
      request([user], {tools: [{name: "look", description: "Looks.", parameters}]}),
      options,
    )
    expect(prompt).toEqual([
      {role: "system", content: "You help."},
      {role: "user", content: [{type: "text", text: "hello"}]},
    ])
    expect(tools).toEqual([
      {
        type: "function",
        name: "look",
        description: "Looks.",
        inputSchema: {type: "object", required: ["text"], properties: {text: {type: "string"}}},
      },
    ])
    expect(tools?.[0]?.inputSchema).not.toBe(parameters)
    expect(maxOutputTokens).toBe(100)
  })

  test("leaves out empty instructions, and an assistant's empty messages", () => {
    const silent: ModelMessage = {role: "assistant", text: "", calls: []}
    expect(promptOf(request([user, silent], {instructions: ""}), options).prompt).toEqual([
      {role: "user", content: [{type: "text", text: "hello"}]},
    ])
  })

  test("has the results of parallel calls as one message", () => {
    const [, , , results, next] = promptFor(user, asking("{}"), result("a"), result("b"), user)
    expect(results).toMatchObject({role: "tool", content: [{toolCallId: "a"}, {toolCallId: "b"}]})
    expect(next).toMatchObject({role: "user"})
  })

  test.each([
    ['{"text": "milk"}', {text: "milk"}],
    ['{"text": ', {}],
    ["", {}],
    ["[1]", {}],
    ["null", {}],
  ])("returns arguments that are not an object as an empty one: %s", (input, expected) => {
    const [, , assistant] = promptFor(user, asking(input))
    expect(assistant).toMatchObject({content: [{type: "text"}, {type: "tool-call", input: expected}]})
  })

  test("returns a reply's details in order to the model that sent them", () => {
    const details = detailsOf(source, [
      {type: "reasoning", text: "Hm.", metadata: {anthropic: {signature: "sig"}}},
      {type: "call", id: "a"},
      {type: "text", text: "I look."},
      {type: "call", id: "unknown"},
    ])
    const [, , assistant] = promptFor(user, asking("{}", details))
    expect(assistant).toEqual({
      role: "assistant",
      content: [
        {type: "reasoning", text: "Hm.", providerOptions: {anthropic: {signature: "sig"}}},
        {type: "tool-call", toolCallId: "a", toolName: "look", input: {}},
        {type: "text", text: "I look."},
      ],
    })
  })

  test("has ids that every provider accepts for calls of another model, and only for those", () => {
    const call = {id: "functions.look:0", name: "look", input: "{}"}
    const foreign: ModelMessage = {role: "assistant", text: " \n", calls: [call], source: "openai-compatible/kimi"}
    const answered: ModelMessage = {role: "tool", call: call.id, name: "look", result: "seen"}
    const idsIn = (first: ModelMessage) => {
      const [, , assistant, result] = promptFor(user, first, answered)
      expect(assistant).toMatchObject({content: [{type: "tool-call"}]})
      return [assistant, result].map(message => /"toolCallId":"([^"]*)"/.exec(JSON.stringify(message))?.[1])
    }
    const [used, told] = idsIn(foreign)
    expect(used).toMatch(/^[a-z0-9]{9}$/)
    expect(told).toBe(used)
    expect(idsIn({...foreign, source})).toEqual([call.id, call.id])
    expect(idsIn({role: "assistant", text: "", calls: [call]})).toEqual([call.id, call.id])
  })

  test.each([
    ["another model", {source: "google/gemini", parts: [{type: "reasoning", text: "Hm."}]}],
    ["nothing known", {parts: "none"}],
    ["a number", 7],
  ])("leaves out details of %s", (_, details) => {
    const [, , assistant] = promptFor(user, asking("{}", details))
    expect(assistant).toMatchObject({content: [{type: "text", text: "I look."}, {type: "tool-call"}]})
  })
})

describe("a stream", () => {
  const usage = {inputTokens: {total: 3}, outputTokens: {total: 4}}
  const finish = (unified: string, used = usage): StreamPart => ({
    type: "finish",
    finishReason: {unified},
    usage: used as typeof usage,
  })
  const read = (...parts: readonly StreamPart[]) => {
    const reader = new ReplyReader(source, () => {})
    return parts.map(part => reader.take(part)).at(-1)
  }
  const call: StreamPart = {type: "tool-call", toolCallId: "a", toolName: "look", input: "{"}

  test("of text alone needs no details", () => {
    const text: StreamPart[] = ["a", "b"].map(delta => ({type: "text-delta", id: "1", delta}))
    expect(read({type: "text-start", id: "1"}, ...text, {type: "text-end", id: "1"}, finish("stop"))).toEqual({
      text: "ab",
      calls: [],
      finish: "stop",
      usage: {input: 3, output: 4},
    })
  })

  test("keeps thoughts with their early and late details, apart from the text", () => {
    const reply = read(
      {type: "reasoning-start", id: "1", providerMetadata: {anthropic: {kind: "thinking"}}},
      {type: "reasoning-delta", id: "1", delta: "Hm."},
      {type: "reasoning-delta", id: "1", delta: "", providerMetadata: {anthropic: {signature: "sig"}}},
      {type: "reasoning-end", id: "1"},
      call,
      finish("tool-calls"),
    )
    expect(reply).toMatchObject({
      text: "",
      calls: [{id: "a", name: "look", input: "{"}],
      finish: "calls",
      details: {
        source,
        parts: [
          {type: "reasoning", text: "Hm.", metadata: {anthropic: {kind: "thinking", signature: "sig"}}},
          {type: "call", id: "a"},
        ],
      },
    })
  })

  test("that says stop but requests calls counts as requesting calls", () => {
    expect(read(call, finish("stop"))).toMatchObject({finish: "calls"})
    expect(read(call, finish("length"))).toMatchObject({finish: "length"})
    expect(read(finish("eos"))).toMatchObject({finish: "other"})
  })

  test("leaves out a call that the provider runs itself", () => {
    expect(read({...call, providerExecuted: true}, finish("stop"))).toMatchObject({calls: [], finish: "stop"})
  })

  test.each([[undefined], [Number.NaN], [-1], [1.5]])("has unknown usage when tokens cannot be counted: %s", total => {
    expect(read(finish("stop", {...usage, outputTokens: {total}} as typeof usage))).toMatchObject({usage: undefined})
  })

  test("of many empty parts or endless arguments comes to an end", () => {
    const reader = new ReplyReader(source, () => {})
    const many = () => {
      for (let id = 0; id < 100_000; id++) reader.take({type: "text-start", id: String(id)})
    }
    expect(many).toThrow("more than 4194304 characters")
    expect(() => read({type: "tool-input-delta", id: "a", delta: "x".repeat(4_200_000)})).toThrow("characters")
  })
})
