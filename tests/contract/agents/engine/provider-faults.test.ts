import {describe, expect, test} from "vitest"
import {usualLimits} from "../../../support/agents/bindings.ts"
import {askedBy} from "../../../support/agents/engine.ts"
import type {ScriptedAnswer} from "../../../support/agents/scripted-model.ts"
import {until} from "../../../support/host/process.ts"
import {converse} from "./conversation.ts"

const page: ScriptedAnswer = {headers: {"content-type": "text/html"}, body: "<html><body>Sorry</body></html>"}

/** The provider gives the same answer to every attempt. `tries` is the number of requests that it gets. */
const lasting: readonly {name: string; answer: ScriptedAnswer; reason: string; tries: number}[] = [
  {name: "500 forever", answer: {status: 500}, reason: "provider_unavailable", tries: 8},
  {name: "429 forever", answer: {status: 429}, reason: "provider_unavailable", tries: 8},
  {name: "a stream that is always cut", answer: {text: "Once upon", cut: true}, reason: "provider_cut", tries: 8},
  {name: "a wrong key", answer: {status: 401, message: "no such key"}, reason: "provider_refused", tries: 1},
  {name: "an unknown model", answer: {status: 404}, reason: "provider_refused", tries: 1},
  {name: "an HTML page", answer: page, reason: "answer_malformed", tries: 3},
  {name: "empty answers", answer: {text: ""}, reason: "answer_empty", tries: 3},
  {
    name: "a filter that withholds the reply",
    answer: {text: "", finish: "content_filter"},
    reason: "answer_filtered",
    tries: 1,
  },
  {name: "an answer that is only thought", answer: {text: "", finish: "length"}, reason: "answer_cut", tries: 1},
]

describe("a provider that answers with", () => {
  test.each(lasting)("$name ends the run as $reason", async ({answer, reason, tries}) => {
    const {ask, model, database} = await converse({script: [answer]})
    const run = await ask("hello")
    expect(run).toMatchObject({state: "failed", reason, answer: null})
    expect(model.requests).toHaveLength(tries)
    expect(run.told).toHaveLength(1)
    const steps = await database.read("SELECT state, begun, reason FROM agent_steps")
    expect(steps).toEqual([{state: "failed", begun: tries, reason}])
  })
})

test("pauses between attempts grow, and Retry-After is respected", async () => {
  const {ask, clock, model} = await converse({
    script: ({index}) =>
      index < 3 ? {status: 503} : index === 3 ? {status: 429, headers: {"retry-after": "77"}} : {text: "At last."},
  })
  expect(await ask("hello")).toMatchObject({state: "succeeded", answer: "At last."})
  expect(model.requests).toHaveLength(5)
  // Half of each pause is random.
  for (const [least, most] of [
    [500, 1000],
    [1000, 2000],
    [2000, 4000],
    [77_000, 77_000],
  ] as const)
    expect(clock.pauses.some(pause => pause >= least && pause <= most)).toBe(true)
})

test("tokens that the provider rejected are returned, and tokens that it may have used count", async () => {
  const usage = {input: 1000, output: 10}
  const free = await converse({script: ({index}) => (index < 5 ? {status: 503} : {text: "yes", usage})})
  expect(await free.ask("hello")).toMatchObject({state: "succeeded", tokens: 1010, steps: 1})
  const cut = await converse({script: ({index}) => (index < 2 ? {text: "ye", cut: true} : {text: "yes", usage})})
  const {state, tokens, steps} = await cut.ask("hello")
  expect({state, steps}).toEqual({state: "succeeded", steps: 3})
  expect(tokens).toBeGreaterThan(2 * usualLimits.output + 1010)
})

describe.each(["before", "headers", "text"] as const)("a provider that hangs: %s", hang => {
  test("is retried after the time limit of one call, and its connection is closed", async () => {
    const {ask, model} = await converse({
      script: ({index}) => (index === 0 ? {text: "Once", hang} : {text: "Done."}),
      settings: {limits: {...usualLimits, call: 1}},
    })
    expect(await ask("hello")).toMatchObject({state: "succeeded", answer: "Done."})
    await until("the connection to close", () => model.closed() === 1)
  })

  test("sees its connection end when the run is cancelled", async () => {
    const {agents, model, endOf} = await converse({script: [{text: "Once", hang}]})
    const runId = await agents.queue(askedBy("ada", "hello"))
    await until("the provider to receive the request", () => model.requests.length === 1)
    await agents.cancel(runId, "grace")
    await until("the connection to close", () => model.closed() === 1)
    expect(await endOf(runId)).toMatchObject({state: "cancelled", error: "by grace"})
    await expect(agents.cancel(runId, "grace")).rejects.toMatchObject({code: "agent_run_state"})
    await agents.idle()
    expect(model.requests).toHaveLength(1)
  })
})

test("a slow stream is read to its end", async () => {
  const {ask} = await converse({script: [{text: "one two three four", pace: 30}]})
  expect(await ask("hello")).toMatchObject({state: "succeeded", answer: "one two three four"})
})
