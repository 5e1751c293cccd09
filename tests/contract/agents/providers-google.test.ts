import {expect, test} from "vitest"
import type {ModelRequest} from "../../../server/agents/providers/model.ts"
import {openModel} from "../../../server/agents/providers/open-model.ts"
import {Secret} from "../../../shared/secret.ts"
import {Type} from "../../../shared/type.ts"
import "../../support/agents/as-in-host.ts"
import {modelIn, never, noHiding, userSays} from "../../support/agents/bindings.ts"
import {eventStream, events, type RawServer, startRawServer} from "../../support/agents/raw-server.ts"

/** A fake of Google's protocol: the real API's shape, with shortened signatures and changed texts. */
const answer = (parts: readonly object[], finishReason?: string) => ({
  candidates: [{content: {parts, role: "model"}, index: 0, ...(finishReason === undefined ? {} : {finishReason})}],
  usageMetadata: {promptTokenCount: 29, candidatesTokenCount: 15, totalTokenCount: 848, thoughtsTokenCount: 804},
  modelVersion: "gemini-3-pro-preview",
  responseId: "QHiLaa6LBrb8",
})

const open = ({url}: RawServer) =>
  openModel(
    modelIn({
      provider: "google",
      baseURL: `${url}/v1beta`,
      key: new Secret("AIza-fake"),
      model: "gemini-3-pro-preview",
    }),
    noHiding,
  )

/** Serves the next of these streams to each request. */
const startGoogle = (...streams: readonly (readonly object[])[]): Promise<RawServer> => {
  let next = 0
  return startRawServer(response => {
    response.writeHead(200, eventStream).end(events(...(streams[next++] ?? [])))
  })
}

const tools: ModelRequest["tools"] = [
  {name: "weather", description: "Tells the weather.", parameters: Type.Object({place: Type.String()})},
]

test("text is streamed, and thought tokens count as output", async () => {
  const server = await startGoogle([answer([{text: "There are "}]), answer([{text: "three."}], "STOP")])
  const heard: string[] = []
  const model = await open(server)
  const reply = await model.call(userSays("how many?"), {signal: never, onText: text => heard.push(text)})
  expect(reply).toMatchObject({text: "There are three.", calls: [], finish: "stop", usage: {input: 29, output: 819}})
  expect(heard).toEqual(["There are ", "three."])
  const [request] = server.requests
  expect(request?.path).toBe("/v1beta/models/gemini-3-pro-preview:streamGenerateContent?alt=sse")
  expect(request?.headers["x-goog-api-key"]).toBe("AIza-fake")
  expect(JSON.parse(request?.body ?? "")).toMatchObject({
    systemInstruction: {parts: [{text: "You help."}]},
    contents: [{role: "user", parts: [{text: "how many?"}]}],
    generationConfig: {maxOutputTokens: 1000},
  })
})

test("the signatures of thoughts go back with the calls they led to", async () => {
  const server = await startGoogle(
    [
      answer([{functionCall: {name: "weather", args: {place: "Graz"}}, thoughtSignature: "EpEgCo4gAb4"}]),
      answer([{functionCall: {name: "weather", args: {place: "Linz"}}}]),
      answer([{text: ""}], "STOP"),
    ],
    [answer([{text: "Sun in both."}], "STOP")],
  )
  const model = await open(server)
  const first = await model.call(userSays("weather?", {tools}), {signal: never})
  expect(first.finish).toBe("calls")
  expect(first.calls.map(({name, input}) => [name, JSON.parse(input)])).toEqual([
    ["weather", {place: "Graz"}],
    ["weather", {place: "Linz"}],
  ])
  const messages: ModelRequest["messages"] = [
    {role: "user", text: "weather?"},
    {role: "assistant", text: first.text, calls: first.calls, details: JSON.parse(JSON.stringify(first.details))},
    ...first.calls.map(({id, name}) => ({role: "tool" as const, call: id, name, result: "sun"})),
  ]
  const second = await model.call(userSays("", {tools, messages}), {signal: never})
  expect(second).toMatchObject({text: "Sun in both.", finish: "stop"})
  const {contents} = JSON.parse(server.requests[1]?.body ?? "")
  expect(contents).toHaveLength(3)
  expect(contents[1].parts).toMatchObject([
    {functionCall: {name: "weather", args: {place: "Graz"}}, thoughtSignature: "EpEgCo4gAb4"},
    {functionCall: {name: "weather", args: {place: "Linz"}}},
  ])
  expect(contents[2].parts).toMatchObject([
    {functionResponse: {name: "weather"}},
    {functionResponse: {name: "weather"}},
  ])
})

test("an answer that the filter withholds says so", async () => {
  const server = await startGoogle([
    {promptFeedback: {blockReason: "PROHIBITED_CONTENT"}, usageMetadata: {promptTokenCount: 9}},
  ])
  const reply = await (await open(server)).call(userSays("something bad"), {signal: never})
  expect(reply).toMatchObject({text: "", calls: [], finish: "filtered"})
})

test("an exhausted quota states the time to wait in its body", async () => {
  const retry = {"@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.4s"}
  const error = {code: 429, message: "You exceeded your quota.", status: "RESOURCE_EXHAUSTED", details: [retry]}
  const server = await startRawServer(response => response.writeHead(429).end(JSON.stringify({error})))
  const call = (await open(server)).call(userSays("hello"), {signal: never})
  const message = "the provider answered 429: You exceeded your quota."
  await expect(call).rejects.toMatchObject({kind: "busy", message, retryAfter: 34_400})
})
