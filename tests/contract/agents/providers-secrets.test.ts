import {expect, test} from "vitest"
import type {ModelRequest} from "../../../server/agents/providers/model.ts"
import {openModel} from "../../../server/agents/providers/open-model.ts"
import {agentProviders} from "../../../shared/config/agents.ts"
import {Secret} from "../../../shared/secret.ts"
import {Type} from "../../../shared/type.ts"
import {modelIn, never, noHiding, userSays} from "../../support/agents/bindings.ts"
import {startRawServer} from "../../support/agents/raw-server.ts"

const providers = Object.keys(agentProviders)
const key = "sk-key-of-the-provider"
/** A value with the characters of a password: JSON escapes some of them. */
const secret = 'pass"word\n9'
const pin = "48151623"
const hide = (text: string) => [secret, pin].reduce((rest, each) => rest.replaceAll(each, "[secret]"), text)

const input = JSON.stringify({[secret]: secret, deep: [{pin: Number(pin)}]})

/** A request with a secret in every place that holds text. */
const request: ModelRequest = {
  instructions: `The password is ${secret}.`,
  messages: [
    {role: "user", text: `is it ${secret} or ${pin}? the key is ${key}`},
    {role: "assistant", text: `I look at ${secret}.`, calls: [{id: "call_1", name: "look", input}], details: undefined},
    {role: "tool", call: "call_1", name: "look", result: `found ${secret} and ${pin}`},
  ],
  tools: [
    {
      name: "look",
      description: `Looks at ${secret}.`,
      parameters: Type.Object({text: Type.String({default: secret, description: `Not ${pin}.`})}),
    },
  ],
  output: 100,
}

const holds = (body: string) =>
  [secret, JSON.stringify(secret).slice(1, -1), pin, key].filter(each => body.includes(each))

test.for(providers)("no secret reaches the provider from any part of the request: %s", async provider => {
  const server = await startRawServer(response => response.writeHead(500).end())
  const model = await openModel(modelIn({provider, baseURL: server.url, key: new Secret(key)}), {...noHiding, hide})
  await expect(model.call(request, {signal: never})).rejects.toMatchObject({status: 500})
  const [sent] = server.requests
  expect(holds(sent?.body ?? "")).toEqual([])
  expect(sent?.body.match(/\[secret\]/g)?.length).toBeGreaterThanOrEqual(10)
  expect(JSON.stringify(sent?.headers)).toContain(key)
})

test("a thought that names a secret is not sent, nor is its signature", async () => {
  const server = await startRawServer(response => response.writeHead(500).end())
  const settings = {provider: "anthropic", model: "claude", baseURL: server.url, key: new Secret(key)}
  const model = await openModel(modelIn(settings), {...noHiding, hide})
  const thought = (text: string, signature: string) => ({type: "reasoning", text, metadata: {anthropic: {signature}}})
  const details = {
    source: "anthropic/claude",
    parts: [thought("harmless", "sig-one"), thought(`it is ${pin}`, "sig-two"), {type: "text", text: `not ${pin}`}],
  }
  const messages: ModelRequest["messages"] = [
    {role: "user", text: "think"},
    {role: "assistant", text: `not ${pin}`, calls: [], details},
    {role: "user", text: "and now?"},
  ]
  await expect(model.call(userSays("", {messages}), {signal: never})).rejects.toMatchObject({status: 500})
  const [, assistant] = JSON.parse(server.requests[0]?.body ?? "").messages
  expect(assistant.content).toEqual([
    {type: "thinking", thinking: "harmless", signature: "sig-one"},
    {type: "text", text: "not [secret]"},
  ])
})

test.for(providers)("a failure that repeats the key and a secret shows neither: %s", async provider => {
  const words = `no access with ${key} to ${secret}`
  const server = await startRawServer(response =>
    response.writeHead(403).end(JSON.stringify({error: {message: words}})),
  )
  const model = await openModel(modelIn({provider, baseURL: server.url, key: new Secret(key)}), {...noHiding, hide})
  const message = "the provider answered 403: no access with [secret] to [secret]"
  await expect(model.call(userSays("hello"), {signal: never})).rejects.toMatchObject({kind: "refused", message})
})
