import type {ServerResponse} from "node:http"
import {expect, test} from "vitest"
import {type Plugin, Type} from "../../../../shared/sdk/sdk.ts"
import {Secret} from "../../../../shared/secret.ts"
import "../../../support/agents/as-in-host.ts"
import {FastClock} from "../../../support/agents/engine.ts"
import {eventStream, events, startRawServer} from "../../../support/agents/raw-server.ts"
import {type Script, startScriptedModel} from "../../../support/agents/scripted-model.ts"
import {converse} from "./conversation.ts"

const setup = (plugin: Plugin): void =>
  plugin.tool("look", {description: "Looks", parameters: Type.Object({}), effect: "none"}, () => "rain")

const key = new Secret("a-key")

/** The blocks of an answer in Anthropic's protocol, as a stand-in for its server writes them. */
const answerWith = (response: ServerResponse, blocks: readonly (readonly object[])[], stop: string) => {
  const parts = blocks.flatMap(([content_block, ...deltas], index) => [
    {type: "content_block_start", index, content_block},
    ...deltas.map(delta => ({type: "content_block_delta", index, delta})),
    {type: "content_block_stop", index},
  ])
  response
    .writeHead(200, eventStream)
    .end(
      events(
        {type: "message_start", message: {id: "m", usage: {input_tokens: 50, output_tokens: 1}}},
        ...parts,
        {type: "message_delta", delta: {stop_reason: stop}, usage: {output_tokens: 5}},
        {type: "message_stop"},
      ),
    )
}

const textOf = (text: string) => [
  {type: "text", text: ""},
  {type: "text_delta", text},
]

test("calls of an OpenAI model are a valid history for Anthropic, whatever their ids", async () => {
  const anthropic = await startRawServer(response => answerWith(response, [textOf("It rains.")], "end_turn"))
  const call = (id: string, index: number) => ({
    index,
    id,
    type: "function",
    function: {name: "weather__look", arguments: "{}"},
  })
  const calls = [call("functions.weather__look:0", 0), call("functions.weather__look:1", 1)]
  const delta = {role: "assistant", content: "\n\n", tool_calls: calls}
  const body = `${events({id: "a", choices: [{index: 0, delta, finish_reason: "tool_calls"}]})}data: [DONE]\n\n`
  const script: Script = ({results}) => (results === 0 ? {body} : {status: 503})
  const models = [{provider: "anthropic", model: "claude", baseURL: anthropic.url, key}]
  const {ask} = await converse({script, setup, settings: {models}})
  expect(await ask("how is it?")).toMatchObject({state: "succeeded", answer: "It rains.", calls: ["done", "done"]})
  const {messages} = JSON.parse(anthropic.requests[0]?.body ?? "")
  expect(messages.map(({role}: {role: string}) => role)).toEqual(["user", "assistant", "user"])
  const [, {content: used}, {content: results}] = messages
  expect(used).toMatchObject([{type: "tool_use"}, {type: "tool_use"}])
  const ids = used.map(({id}: {id: string}) => id)
  for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9_-]+$/)
  expect(new Set(ids).size).toBe(2)
  expect(results.map(({tool_use_id}: {tool_use_id: string}) => tool_use_id)).toEqual(ids)
})

test("thoughts and calls of Anthropic are a valid history for OpenAI's protocol, and back again", async () => {
  const thought = [
    {type: "thinking", thinking: ""},
    {type: "thinking_delta", thinking: "I need to look."},
    {type: "signature_delta", signature: "c2ln"},
  ]
  const use = (id: string) => [
    {type: "tool_use", id, name: "weather__look", input: {}},
    {type: "input_json_delta", partial_json: "{}"},
  ]
  const anthropic = await startRawServer(response => {
    const count = anthropic.requests.length
    if (count === 2) return response.writeHead(529).end(JSON.stringify({error: {type: "overloaded_error"}}))
    if (count === 1) return answerWith(response, [thought, use("toolu_01")], "tool_use")
    return answerWith(response, [textOf("It rains.")], "end_turn")
  })
  const clock = new FastClock(1)
  const second = await startScriptedModel(({messages}) => {
    expect(messages.map(({role}) => role)).toEqual(["user", "assistant", "tool"])
    const [, {calls} = {calls: []}, result] = messages
    expect(calls).toMatchObject([{name: "weather.look", args: "{}"}])
    expect(calls[0]?.id).toMatch(/^[a-zA-Z0-9]{9}$/)
    expect(result).toMatchObject({call: calls[0]?.id, text: "rain"})
    // The first model is ready for the next step.
    clock.skip(60_000)
    return {calls: [{name: "weather.look"}]}
  })
  const talk = await converse({
    script: [],
    setup,
    settings: {
      provider: "anthropic",
      model: "claude",
      baseURL: anthropic.url,
      key,
      models: [{provider: "openai-compatible", model: "second", baseURL: second.url}],
    },
    clock,
  })
  const run = await talk.ask("how is it?")
  expect(run).toMatchObject({state: "succeeded", answer: "It rains.", calls: ["done", "done"]})
  expect(second.requests).toHaveLength(1)
  expect(second.requests[0]?.body.messages.map(({content}) => JSON.stringify(content)).join("")).not.toContain("I need")
  const {messages} = JSON.parse(anthropic.requests.at(-1)?.body ?? "")
  expect(messages.map(({role}: {role: string}) => role)).toEqual(["user", "assistant", "user", "assistant", "user"])
  // The thought returns to the model that had it, with its signature and the id of its call.
  expect(messages[1].content).toMatchObject([
    {type: "thinking", thinking: "I need to look.", signature: "c2ln"},
    {type: "tool_use", id: "toolu_01"},
  ])
  expect(messages[2].content).toMatchObject([{type: "tool_result", tool_use_id: "toolu_01"}])
  expect(messages[4].content[0].tool_use_id).toBe(messages[3].content[0].id)
  const steps = await talk.database.read("SELECT name FROM agent_steps WHERE kind = 'model' ORDER BY n")
  expect(steps.map(({name}) => name)).toEqual(["claude", "second", "claude"])
  expect(run.told).toEqual([expect.not.stringContaining("claude")])
})
