import {describe, expect, test} from "vitest"
import type {ModelReply} from "../../../server/agents/providers/model.ts"
import {openModel} from "../../../server/agents/providers/open-model.ts"
import type {AgentProvider} from "../../../shared/config/agents.ts"
import {Secret} from "../../../shared/secret.ts"
import "../../support/agents/as-in-host.ts"
import {modelIn, never, noHiding, userSays} from "../../support/agents/bindings.ts"
import {eventStream, events, startRawServer} from "../../support/agents/raw-server.ts"
import {until} from "../../support/host/process.ts"

/** A fake of each provider's protocol, which also sends what no version of the protocol has. No provider is involved. */
type Json = null | string | number | boolean | readonly Json[] | {readonly [key: string]: Json}
type Event = {readonly [key: string]: Json}

interface Protocol {
  /** An answer of two words and one call, which ends well. */
  readonly answer: readonly Event[]
  /** Where the content of the answer begins, and where its end does. */
  readonly begins: number
  readonly ends: number
  /** A part of a kind that the protocol does not have, with a text that is no part of the answer. */
  readonly part: readonly Event[]
  /** The end of an answer for a new reason. */
  readonly end: readonly Event[]
  /** The answer without the tokens that it took. */
  readonly unpaid: readonly Event[]
  readonly events: readonly Event[]
}

const chunk = (delta: Json, finish: Json = null): Event => ({
  id: "chat-1",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [{index: 0, delta, finish_reason: finish}],
})
const call = (name: string, text: string): Json => ({index: 0, id: "call_1", function: {name, arguments: text}})
const tokens = {prompt_tokens: 9, completion_tokens: 5, total_tokens: 14}

const block = (index: number, start: Json, delta: Json): readonly Event[] => [
  {type: "content_block_start", index, content_block: start},
  {type: "content_block_delta", index, delta},
  {type: "content_block_stop", index},
]
const begin = (usage: Event): Event => ({type: "message_start", message: {id: "msg_1", type: "message", ...usage}})
const over = (reason: Json, usage: Event): readonly Event[] => [
  {type: "message_delta", delta: {stop_reason: reason, stop_sequence: null}, ...usage},
  {type: "message_stop"},
]
const good = block(0, {type: "text", text: ""}, {type: "text_delta", text: "Good morning."})
const used = block(
  1,
  {type: "tool_use", id: "call_1", name: "look", input: {}},
  {type: "input_json_delta", partial_json: '{"at":1}'},
)
const read = {usage: {input_tokens: 9, output_tokens: 1}}
const wrote = {usage: {output_tokens: 5}}

const piece = (parts: Json, finish: Event = {}): Event => ({
  candidates: [{content: {parts, role: "model"}, index: 0, ...finish}],
  usageMetadata: {promptTokenCount: 9, candidatesTokenCount: 5},
  responseId: "r1",
})
const without = (event: Event, name: string): Event => ({...event, [name]: null})

const protocols: Readonly<Record<AgentProvider, Protocol>> = {
  "openai-compatible": {
    answer: [
      chunk({role: "assistant", content: "Good "}),
      chunk({content: "morning."}),
      chunk({tool_calls: [call("look", '{"at":1}')]}),
      chunk({}, "tool_calls"),
      {id: "chat-1", object: "chat.completion.chunk", choices: [], usage: tokens},
    ],
    begins: 0,
    ends: 3,
    part: [chunk({content: [{type: "hologram", text: "odd"}]})],
    end: [{choices: [{finish_reason: "tired"}]}],
    unpaid: [
      chunk({content: "Good morning."}),
      chunk({tool_calls: [call("look", '{"at":1}')]}),
      {...chunk({}, "tool_calls"), usage: {prompt_tokens: "nine"}},
    ],
    events: [{type: "keep-alive"}, {object: "chat.weather", weather: {is: "fine"}}],
  },
  anthropic: {
    answer: [begin(read), ...good, ...used, ...over("tool_use", wrote)],
    begins: 1,
    ends: 7,
    part: [
      ...block(7, {type: "hologram", text: "odd"}, {type: "text_delta", text: "odd"}),
      {type: "content_block_start", index: 8, content_block: {type: "text", text: ""}},
      {type: "content_block_delta", index: 8, delta: {type: "hologram_delta", text: "odd"}},
      {type: "content_block_stop", index: 8},
    ],
    end: over("tired", wrote),
    unpaid: [begin({usage: {input_tokens: "nine"}}), ...good, ...used, ...over("tool_use", {})],
    events: [{type: "keep_alive"}, {type: "message_weather", weather: {is: "fine"}}],
  },
  google: {
    answer: [
      piece([{text: "Good "}]),
      piece([{text: "morning."}]),
      piece([{functionCall: {id: "call_1", name: "look", args: {at: 1}}}], {finishReason: "STOP"}),
    ],
    begins: 0,
    ends: 2,
    part: [piece([{hologram: {shows: "odd"}}]), piece([{text: {spoken: "odd"}}])],
    end: [{candidates: [{finishReason: "tired", finishMessage: "it slept"}]}],
    unpaid: [
      without(piece([{text: "Good morning."}]), "usageMetadata"),
      {
        ...piece([{functionCall: {id: "call_1", name: "look", args: {at: 1}}}], {finishReason: "STOP"}),
        usageMetadata: {promptTokenCount: "nine"},
      },
    ],
    events: [{keepAlive: true}, {weather: {is: "fine"}}],
  },
}

const reply = {text: "Good morning.", calls: [{id: "call_1", name: "look", input: '{"at":1}'}], finish: "calls"}
const paid = {...reply, usage: {input: 9, output: 5}}

/** Returns the value with new properties in each of its objects. */
const withNews = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(withNews)
  if (typeof value !== "object" || value === null) return value
  const old = Object.entries(value).map(([key, each]) => [
    key,
    key === "args" || key === "input" ? each : withNews(each),
  ])
  return {...Object.fromEntries(old), x_new: {is: ["new"]}, x_none: null}
}

/** Returns the event with another type for each value that is no part of the answer. */
const withOtherTypes = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(withOtherTypes)
  if (typeof value !== "object" || value === null) return value
  const side = ["created", "model", "object", "role", "stop_sequence"]
  const entries = Object.entries(value).map(([key, each]) => [key, side.includes(key) ? [each] : withOtherTypes(each)])
  return Object.fromEntries(entries)
}

interface Sent {
  readonly type?: string
  readonly body: string
}

/** Each row: what the provider sends, what svc makes of it, and whether it counts something. */
type Row = readonly [string, (protocol: Protocol) => Sent, object, boolean]

const between = (at: "begins" | "ends", added: (protocol: Protocol) => string) => (protocol: Protocol) => ({
  body: `${events(...protocol.answer.slice(0, protocol[at]))}${added(protocol)}${events(...protocol.answer.slice(protocol[at]))}`,
})
const ended = (from: number) => (protocol: Protocol) => ({
  body: events(...protocol.answer.slice(0, from === 0 ? protocol.begins : protocol.ends), ...protocol.end),
})
const alone =
  (value: Json, type = "application/json") =>
  () => ({type, body: JSON.stringify(value)})
const inStream = (text: string) => between("ends", () => text)
const busy = {kind: "busy", code: undefined}
const says = (text: string) => ({message: expect.stringContaining(text)})

const rows: readonly Row[] = [
  ["nothing unknown", ({answer}) => ({body: events(...answer)}), paid, false],
  ["an event first", ({answer, events: [odd]}) => ({body: events(odd, ...answer)}), paid, true],
  ["events in the middle", between("ends", protocol => events(...protocol.events)), paid, true],
  ["an event last", ({answer, events: [odd]}) => ({body: events(...answer, odd)}), paid, true],
  ["an event that is no JSON", between("begins", () => "event: beat\ndata: thump\n\n"), paid, true],
  ["an event that is a list, a number, nothing", between("ends", () => events([], 7, null)), paid, true],
  ["properties in every object", ({answer}) => ({body: events(...answer.map(withNews))}), paid, false],
  ["other types of other values", ({answer}) => ({body: events(...answer.map(withOtherTypes))}), paid, false],
  ["parts of the answer", between("ends", ({part}) => events(...part)), paid, true],
  ["an end after an answer", ended(1), {text: reply.text, finish: "other"}, true],
  ["an end without an answer", ended(0), {kind: "malformed", ...says("tired")}, true],
  ["no tokens", ({unpaid}) => ({body: events(...unpaid)}), {...reply, usage: undefined}, true],
  [
    "a failure",
    inStream(events({error: {message: "full", type: "overloaded_error"}})),
    {...busy, ...says("full")},
    false,
  ],
  ["a failure as a string", inStream(events({error: "engine is full"})), {...busy, ...says("engine is full")}, false],
  ["a failure as an event", inStream("event: error\ndata: engine is full\n\n"), {...busy, ...says("is full")}, false],
  [
    "a failure of another shape",
    inStream(events({object: "error", message: "engine is full", type: "ServerError", code: 503})),
    {...busy, ...says("engine is full")},
    false,
  ],
  [
    "a failure for good",
    inStream(events({error: {message: "too long", type: "invalid_request_error"}})),
    {kind: "refused", ...says("too long")},
    false,
  ],
  [
    "a failure as the body",
    alone({error: {message: "full", code: 429}}),
    {...busy, status: 429, ...says("full")},
    false,
  ],
  ["a failure as a string in the body", alone({error: "full"}), {...busy, ...says("full")}, false],
  [
    "a failure for good as the body",
    alone({error: {message: "no such key", code: 401}}, "text/event-stream"),
    {kind: "refused", status: 401, ...says("no such key")},
    false,
  ],
  ["a body", alone({detail: "no such place"}), {kind: "malformed", ...says("no such place")}, true],
  ["a list as the body", alone([{weather: "fine"}]), {kind: "malformed", ...says("fine")}, true],
  ["only an event", ({events: [odd]}) => ({body: events(odd)}), {kind: "malformed"}, true],
  [
    "no end",
    ({answer, begins}) => ({body: events(...answer.slice(0, begins + 2))}),
    {kind: "busy", code: "cut"},
    false,
  ],
]

const ask = async (provider: AgentProvider, {type = eventStream["content-type"], body}: Sent) => {
  const server = await startRawServer(response => response.writeHead(200, {"content-type": type}).end(body))
  const model = await openModel(modelIn({provider, baseURL: server.url, key: new Secret("a-key")}), noHiding)
  const unknown: string[] = []
  const made: ModelReply | Error = await model
    .call(userSays("hello"), {signal: never, onUnknown: what => unknown.push(what)})
    .catch(error => error)
  return {made, unknown}
}

describe.each(Object.keys(protocols) as AgentProvider[])("from %s,", provider => {
  test.each(rows)("what svc does not know ends no answer: %s", async (_, sent, expected, isCounted) => {
    const {made, unknown} = await ask(provider, sent(protocols[provider]))
    expect(made).toMatchObject(expected)
    expect(unknown.length > 0).toBe(isCounted)
  })
})

test.each([
  [
    "openai-compatible",
    events(chunk({content: "Good "}), chunk({}, "insufficient_system_resource")),
    {kind: "busy", code: "cut"},
  ],
  ["openai-compatible", events(chunk({content: "Good "}), chunk({}, "abort")), {kind: "busy", code: "cut"}],
  ["google", events(piece([{text: "Good "}], {finishReason: "MALFORMED_FUNCTION_CALL"})), {kind: "malformed"}],
] as const)("from %s, a known end that is no answer's fails: %s", async (provider, body, expected) => {
  expect((await ask(provider, {body})).made).toMatchObject(expected)
})

test("an answer that a server does not stream is read whole", async () => {
  const message = {role: "assistant", content: "Good morning.", tool_calls: [call("look", '{"at":1}')]}
  const body = JSON.stringify({
    object: "chat.completion",
    choices: [{message, finish_reason: "tool_calls"}],
    usage: tokens,
  })
  const {made, unknown} = await ask("openai-compatible", {type: "application/json", body})
  expect(made).toMatchObject(paid)
  expect(unknown).toEqual([])
})

test("an answer ends with its last event, though the server keeps the connection", async () => {
  const {answer} = protocols["openai-compatible"]
  const server = await startRawServer(response => {
    response.writeHead(200, eventStream).write(`${events(...answer)}data: [DONE]\n\n${events(...answer)}`)
  })
  const model = await openModel(modelIn({baseURL: server.url}), noHiding)
  expect(await model.call(userSays("hello"), {signal: never})).toMatchObject(paid)
  await until("the server to see the connection end", () => server.closed() === 1)
})
