import {once} from "node:events"
import type {ServerResponse} from "node:http"
import {setTimeout as sleep} from "node:timers/promises"
import {expect, test} from "vitest"
import {ModelFailure, type ModelReply} from "../../../server/agents/providers/model.ts"
import {openModel} from "../../../server/agents/providers/open-model.ts"
import {Secret} from "../../../shared/secret.ts"
import "../../support/agents/as-in-host.ts"
import {modelIn, never, noHiding, userSays} from "../../support/agents/bindings.ts"
import {eventStream, events, type RawRequest, startRawServer} from "../../support/agents/raw-server.ts"
import {startScriptedModel} from "../../support/agents/scripted-model.ts"
import {freePort, until} from "../../support/host/host.ts"
import {errorOf} from "../../support/host/problems.ts"

/** A server that breaks the rules of a provider. It speaks only the parts of the OpenAI protocol that it breaks. */
const key = "sk-very-secret-0123456789"

const openAt = (url: string) => openModel(modelIn({baseURL: url, key: new Secret(key)}), noHiding)

const failureOf = async (call: Promise<ModelReply>): Promise<ModelFailure> => {
  const error = await errorOf(call)
  if (!(error instanceof ModelFailure)) throw new Error(`no ModelFailure: ${error}`)
  expect(error.message).not.toContain(key)
  expect(error.message).not.toMatch(/\n|\bat .*:\d+:\d+/)
  expect(error.cause).toBeUndefined()
  return error
}

const failureFrom = async (answer: (response: ServerResponse, request: RawRequest) => unknown) => {
  const server = await startRawServer(answer)
  return failureOf((await openAt(server.url)).call(userSays("hello"), {signal: never}))
}

const word = (content: string) => ({choices: [{index: 0, delta: {content}, finish_reason: null}]})
const stop = {choices: [{index: 0, delta: {}, finish_reason: "stop"}]}

test.for(["before", "headers", "text"] as const)(
  "cancelling a call ends it and its connection at once when the server hangs: %s",
  async hang => {
    const server = await startScriptedModel([{text: "half of", hang}])
    const model = await openAt(server.url)
    const cancel = new AbortController()
    const reason = new Error("cancelled in the middle")
    const call = model.call(userSays("hello"), {signal: cancel.signal, onText: () => cancel.abort(reason)})
    if (hang !== "text") {
      await until("the server to receive the request", () => server.requests.length === 1)
      cancel.abort(reason)
    }
    await expect(call).rejects.toBe(reason)
    await until("the server to see the connection end", () => server.closed() === 1)
  },
)

test("a call with an aborted signal sends no request", async () => {
  const server = await startScriptedModel([{text: "hello"}])
  const model = await openAt(server.url)
  const reason = new Error("too late")
  await expect(model.call(userSays("hello"), {signal: AbortSignal.abort(reason)})).rejects.toBe(reason)
  expect(server.requests).toEqual([])
})

test("a stream that arrives byte by byte is read as it was written", async () => {
  const text = "Grüße — 你好 🙂"
  const server = await startRawServer(async response => {
    response.writeHead(200, eventStream)
    for (const byte of Buffer.from(`${events(word(text), stop)}data: [DONE]\n\n`)) {
      response.write(Buffer.of(byte))
      await sleep(0)
    }
    response.end()
  })
  const model = await openAt(server.url)
  const heard: string[] = []
  expect((await model.call(userSays("hello"), {signal: never, onText: piece => heard.push(piece)})).text).toBe(text)
  expect(heard.join("")).toBe(text)
})

const cuts: readonly (readonly [string, (response: ServerResponse) => unknown])[] = [
  [
    "the connection breaks in the middle",
    response => response.write(events(word("half"))) && setTimeout(() => response.destroy(), 20),
  ],
  ["the stream ends without an end of the reply", response => response.end(events(word("half")))],
]

test.for(cuts)("a reply that is cut off may be retried: %s", async ([, answer]) => {
  const failure = await failureFrom(response => {
    response.writeHead(200, eventStream)
    return answer(response)
  })
  expect(failure).toMatchObject({kind: "busy", code: "cut", retryAfter: undefined})
})

const nonsense: readonly (readonly [string, string, string])[] = [
  ["a page", "text/html", "<!doctype html><h1>Welcome</h1>"],
  ["nothing", "text/event-stream", ""],
  ["JSON without a stream", "application/json", '{"choices": []}'],
  ["events that are not JSON", "text/event-stream", "data: {oops\n\n"],
  ["events of another protocol", "text/event-stream", 'data: {"type": "message_start"}\n\n'],
]

test.for(nonsense)("an answer that is not a stream of the protocol is malformed: %s", async ([, type, body]) => {
  const failure = await failureFrom(response => response.writeHead(200, {"content-type": type}).end(body))
  expect(failure).toMatchObject({kind: "malformed", message: expect.stringContaining("could not read")})
})

/** Writes the same text repeatedly until the client disconnects. */
const writeForever = async (response: ServerResponse, piece: string) => {
  const write = () => {
    while (!response.destroyed && response.write(piece));
  }
  response.writeHead(200, eventStream).on("drain", write)
  write()
  await once(response, "close")
}

test("an endless reply is abandoned, and its connection is closed", async () => {
  const server = await startRawServer(response => writeForever(response, events(word("x".repeat(100_000)))))
  const failure = await failureOf((await openAt(server.url)).call(userSays("hello"), {signal: never}))
  expect(failure).toMatchObject({kind: "malformed", message: expect.stringContaining("more than 4194304 characters")})
  await until("the server to see the connection end", () => server.closed() === 1)
})

test("an endless line is abandoned", async () => {
  const failure = await failureFrom(response => writeForever(response, "x".repeat(1_000_000)))
  expect(failure).toMatchObject({kind: "malformed", message: expect.stringContaining("does not end")})
})

const inTwoMinutes = () => new Date(Date.now() + 120_000).toUTCString()

const statuses: readonly (readonly [number, Record<string, string>, object, Partial<ModelFailure>])[] = [
  [429, {"retry-after": "7"}, {error: {message: "slow down"}}, {kind: "busy", retryAfter: 7000}],
  [429, {"retry-after-ms": "150"}, {}, {kind: "busy", retryAfter: 150}],
  [429, {}, {error: {message: "no credit", code: "insufficient_quota"}}, {kind: "refused", retryAfter: undefined}],
  [408, {}, {}, {kind: "busy"}],
  [409, {}, {}, {kind: "busy"}],
  [500, {}, {error: "out of memory"}, {kind: "busy", message: "the provider answered 500: out of memory"}],
  [529, {}, {error: {type: "overloaded_error", message: "Overloaded"}}, {kind: "busy"}],
  [400, {}, {detail: "no such parameter"}, {kind: "refused", message: "the provider answered 400: no such parameter"}],
  [
    401,
    {},
    {error: {message: `Incorrect API key: ${key}`}},
    {kind: "refused", message: expect.stringContaining("[secret]")},
  ],
  [404, {}, {error: {message: "m".repeat(5000)}}, {kind: "refused"}],
]

test.for(statuses)(
  "the status %i with %o is classified by the next step to take",
  async ([status, headers, body, expected]) => {
    const failure = await failureFrom(response => response.writeHead(status, headers).end(JSON.stringify(body)))
    expect(failure).toMatchObject({status, ...expected})
    expect(failure.message.length).toBeLessThan(560)
  },
)

test("Retry-After may be a date, and a page contributes only its status", async () => {
  const failure = await failureFrom(response =>
    response.writeHead(503, {"retry-after": inTwoMinutes(), "content-type": "text/html"}).end("<html>down</html>"),
  )
  expect(failure.message).toBe("the provider answered 503: Service Unavailable")
  expect(failure.retryAfter).toBeGreaterThan(60_000)
  expect(failure.retryAfter).toBeLessThanOrEqual(120_000)
})

test("a redirect is not followed, so no other server receives the key", async () => {
  const other = await startRawServer(response => response.end())
  const failure = await failureFrom(response => response.writeHead(307, {location: `${other.url}/v1`}).end())
  expect(failure).toMatchObject({kind: "refused", status: 307, message: expect.stringContaining(other.url)})
  expect(other.requests).toEqual([])
})

test("a server that cannot be reached may be retried", async () => {
  const url = `http://127.0.0.1:${await freePort()}`
  const failure = await failureOf((await openAt(url)).call(userSays("hello"), {signal: never}))
  expect(failure).toMatchObject({kind: "busy", message: expect.stringContaining(url)})
  expect(failure.code).toMatch(/REFUSED|ConnectionRefused/i)
})

test("parallel calls do not mix", async () => {
  const model = await openAt((await startScriptedModel(({last}) => ({text: `you said ${last.text}`}))).url)
  const said = Array.from({length: 20}, (_, index) => `number ${index}`)
  const replies = await Promise.all(
    said.map(text => model.call(userSays(text), {signal: new AbortController().signal})),
  )
  expect(replies.map(({text}) => text)).toEqual(said.map(text => `you said ${text}`))
})
