import {LLMock} from "@copilotkit/aimock"
import {expect, test} from "vitest"
import type {ModelMessage, ModelReply, ModelRequest} from "../../../server/agents/providers/model.ts"
import {openModel} from "../../../server/agents/providers/open-model.ts"
import {Secret} from "../../../shared/secret.ts"
import {Type} from "../../../shared/type.ts"
import "../../support/agents/as-in-host.ts"
import {modelIn, never, noHiding, userSays} from "../../support/agents/bindings.ts"
import {startRawServer} from "../../support/agents/raw-server.ts"
import {whenOver} from "../../support/host/shared.ts"

/** Real HTTP and streaming against aimock, a third-party fake of OpenAI's and Anthropic's protocols. */
const protocols = ["openai-compatible", "anthropic"] as const
type Protocol = (typeof protocols)[number]

const startFake = async (): Promise<LLMock> => {
  const fake = await LLMock.create({port: 0, host: "127.0.0.1", logLevel: "silent"})
  whenOver(() => fake.stop())
  return fake
}

const open = (protocol: Protocol, fake: LLMock) =>
  openModel(
    modelIn({provider: protocol, baseURL: `${fake.url}/v1`, key: new Secret("sk-fake"), model: "fake-model"}),
    noHiding,
  )

const anthropicAt = (baseURL: string) =>
  modelIn({provider: "anthropic", baseURL, key: new Secret("sk-fake"), model: "fake-model"})

const tools: ModelRequest["tools"] = [
  {name: "notes__add", description: "Adds a note.", parameters: Type.Object({text: Type.String()})},
]

/** Returns the messages that a run sends to the model after its calls. */
const afterwards = (reply: ModelReply, results: readonly string[]): ModelMessage[] => [
  {role: "user", text: "add milk"},
  {role: "assistant", text: reply.text, calls: reply.calls, details: reply.details},
  ...reply.calls.map(({id, name}, index) => ({role: "tool" as const, call: id, name, result: results[index] ?? ""})),
]

/** The body of the latest request: aimock shows every protocol as OpenAI messages. */
const asked = (fake: LLMock) => JSON.stringify(fake.getLastRequest()?.body)

test.for(protocols)("text is streamed, with its usage: %s", async protocol => {
  const fake = await startFake()
  fake.onMessage("hello", {
    content: "Good morning to all of you.",
    usage: {prompt_tokens: 20, completion_tokens: 7, input_tokens: 20, output_tokens: 7},
  })
  const model = await open(protocol, fake)
  const heard: string[] = []
  const reply = await model.call(userSays("hello"), {signal: never, onText: text => heard.push(text)})
  expect(reply).toMatchObject({text: "Good morning to all of you.", calls: [], finish: "stop"})
  expect(reply.usage).toEqual({input: 20, output: 7})
  expect(heard.length).toBeGreaterThan(1)
  expect(heard.join("")).toBe(reply.text)
  expect(asked(fake)).toContain("You help.")
})

test.for(protocols)("a call, its result and the answer are one conversation: %s", async protocol => {
  const fake = await startFake()
  fake.on({toolResultContains: "noted"}, {content: "Done."})
  fake.onMessage("add milk", {
    content: "I add it.",
    toolCalls: [
      {name: "notes__add", arguments: '{"text":"milk"}', id: "call_a"},
      {name: "notes__add", arguments: '{"text":"bread"}', id: "call_b"},
    ],
  })
  const model = await open(protocol, fake)
  const first = await model.call(userSays("add milk", {tools}), {signal: never})
  expect(first).toMatchObject({text: "I add it.", finish: "calls"})
  expect(first.calls.map(({name, input}) => [name, JSON.parse(input)])).toEqual([
    ["notes__add", {text: "milk"}],
    ["notes__add", {text: "bread"}],
  ])
  const messages = afterwards(first, ["noted milk", "noted bread"])
  const second = await model.call(userSays("", {tools, messages}), {signal: never})
  expect(second).toMatchObject({text: "Done.", calls: [], finish: "stop"})
  for (const said of ["add milk", "I add it.", "noted milk", "noted bread", ...first.calls.map(({id}) => id)])
    expect(asked(fake)).toContain(said)
})

test("the signature of a thought returns to Anthropic unchanged, before the call it led to", async () => {
  const fake = await startFake()
  fake.onMessage("add milk", {
    toolCalls: [{name: "notes__add", arguments: '{"text":"milk"}'}],
    reasoning: "The user wants milk.",
    reasoningSignature: "EqQBCkYIARABGAI=",
  })
  const first = await (await open("anthropic", fake)).call(userSays("add milk", {tools}), {signal: never})
  expect(first.text).toBe("")
  const details = JSON.parse(JSON.stringify(first.details))
  const recorder = await startRawServer(response => response.writeHead(500).end())
  const next = await openModel(anthropicAt(recorder.url), noHiding)
  const messages = afterwards({...first, details}, ["noted"])
  await expect(next.call(userSays("", {tools, messages}), {signal: never})).rejects.toMatchObject({status: 500})
  const [, assistant, result] = JSON.parse(recorder.requests[0]?.body ?? "").messages
  expect(assistant.content).toMatchObject([
    {type: "thinking", thinking: "The user wants milk.", signature: "EqQBCkYIARABGAI="},
    {type: "tool_use", name: "notes__add", input: {text: "milk"}},
  ])
  expect(result.content).toMatchObject([{type: "tool_result", content: "noted"}])
})

test.for(protocols)("a rate limit includes the time to wait: %s", async protocol => {
  const fake = await startFake()
  fake.onMessage("hello", {error: {message: "too many", type: "rate_limit_error"}, status: 429, retryAfter: 3})
  const call = (await open(protocol, fake)).call(userSays("hello"), {signal: never})
  await expect(call).rejects.toMatchObject({kind: "busy", status: 429, retryAfter: 3000})
})

test.for(protocols)("a connection that breaks midway may be retried: %s", async protocol => {
  const fake = await startFake()
  fake.onMessage(
    "hello",
    {content: "A long answer, of which not all will come."},
    {truncateAfterChunks: 3, latency: 20},
  )
  const model = await open(protocol, fake)
  await expect(model.call(userSays("hello"), {signal: never})).rejects.toMatchObject({kind: "busy", status: undefined})
})
