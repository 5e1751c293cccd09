import type {ServerResponse} from "node:http"
import {expect, test} from "vitest"
import {checkModel} from "../../../server/agents/providers/check-model.ts"
import type {AgentSettings} from "../../../shared/config/agents.ts"
import {Problem} from "../../../shared/problems.ts"
import {Secret} from "../../../shared/secret.ts"
import {bindingOf, modelIn, never, noHiding} from "../../support/agents/bindings.ts"
import {startRawServer} from "../../support/agents/raw-server.ts"
import {startScriptedModel} from "../../support/agents/scripted-model.ts"
import {freePort} from "../../support/machine/ports.ts"

const check = (settings: Partial<AgentSettings>) =>
  checkModel(bindingOf(settings), modelIn(settings), {...noHiding, signal: never})

test("a model that answers passes, with its answer and tokens, and needs no action", async () => {
  const server = await startScriptedModel([{text: "ready", usage: {input: 30, output: 1}}])
  const result = await check({baseURL: server.url})
  expect(result).toMatchObject({ok: true, model: "test-model", answer: "ready", tokens: 31, problem: null, hint: null})
  expect(server.requests).toHaveLength(1)
})

test("a provider that reports no tokens works, with a remark", async () => {
  const server = await startRawServer(response =>
    response.end('data: {"choices":[{"delta":{"content":"ready"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'),
  )
  expect(await check({baseURL: server.url})).toMatchObject({ok: true, answer: "ready"})
})

const json = (status: number, message: string) => (response: ServerResponse) =>
  response.writeHead(status, {"content-type": "application/json"}).end(JSON.stringify({error: {message}}))

test.for<[string, (response: ServerResponse) => unknown, RegExp]>([
  ["a wrong key", json(401, "Incorrect API key"), /variable that agents\.helper\.key names/],
  [
    "an unknown model",
    json(404, "The model does not exist"),
    /agents\.helper\.model, or agents\.helper\.baseURL.*\/v1/,
  ],
  ["a model without tools", json(400, "test-model does not support tools"), /choose another model/],
  ["a used-up account", json(429, "quota"), /credit/],
  ["a provider in trouble", json(503, "down"), /later/],
  [
    "a page in place of a model",
    response => response.end("<html></html>"),
    /does not speak the protocol openai-compatible/,
  ],
  ["a redirect", response => response.writeHead(308, {location: "/v1"}).end(), /baseURL to the address/],
])("the check says what to do about %s", async ([, answer, hint]) => {
  const {url} = await startRawServer(answer)
  const result = await check({baseURL: url, key: new Secret("sk-wrong")})
  expect(result).toMatchObject({ok: false, answer: null, tokens: null, problem: expect.any(String)})
  expect(result.hint).toMatch(hint)
})

test("the check names the address when no server listens there", async () => {
  const result = await check({baseURL: `http://127.0.0.1:${await freePort()}`})
  expect(result).toMatchObject({ok: false, hint: expect.stringContaining("agents.helper.baseURL")})
  expect(result.hint).toMatch(/Nothing listens/)
})

test("the check reports a server that wants a key when the binding has none", async () => {
  const {url} = await startRawServer(json(401, "no key"))
  expect((await check({baseURL: url})).hint).toContain("set agents.helper.key as ${NAME}")
})

test("the check reports a model that does not answer within the time of a call", async () => {
  const server = await startScriptedModel([{hang: "before"}])
  const {limits} = bindingOf().config
  const result = await check({baseURL: server.url, limits: {...limits, call: 1}})
  expect(result).toMatchObject({ok: false, problem: expect.stringMatching(/\b1 s$/)})
  expect(result.hint).toContain("limits.call")
})

test("a check that is cancelled, or has nothing to call, has no result", async () => {
  const server = await startScriptedModel([{hang: "before"}])
  const cancel = new AbortController()
  const reason = new Error("cancelled")
  const call = checkModel(bindingOf(), modelIn({baseURL: server.url}), {...noHiding, signal: cancel.signal})
  setImmediate(() => cancel.abort(reason))
  await expect(call).rejects.toBe(reason)
  await expect(check({provider: "anthropic"})).rejects.toBeInstanceOf(Problem)
})
