import {expect, test} from "vitest"
import {openModel} from "../../../server/agents/providers/open-model.ts"
import "../../support/agents/as-in-host.ts"
import {modelIn, never, noHiding, userSays} from "../../support/agents/bindings.ts"
import {startScriptedModel} from "../../support/agents/scripted-model.ts"

test("text arrives as it is written, and the reply has all of it with its usage", async () => {
  const server = await startScriptedModel([{text: "Good morning to you.", usage: {input: 12, output: 5}}])
  const model = await openModel(modelIn({baseURL: server.url}), noHiding)
  const heard: string[] = []
  const reply = await model.call(userSays("hello"), {signal: never, onText: text => heard.push(text)})
  expect(reply).toEqual({text: "Good morning to you.", calls: [], finish: "stop", usage: {input: 12, output: 5}})
  expect(heard.length).toBeGreaterThan(1)
  expect(heard.join("")).toBe(reply.text)
  expect(server.requests[0]).toMatchObject({model: "test-model", instructions: "You help.", last: {text: "hello"}})
})

test("calls keep their arguments as the model wrote them, even malformed ones", async () => {
  const server = await startScriptedModel([
    {
      calls: [
        {name: "notes.add", args: {text: "milk"}},
        {name: "notes.list", args: '{"page": '},
      ],
    },
  ])
  const model = await openModel(modelIn({baseURL: server.url}), noHiding)
  const {calls, finish} = await model.call(userSays("add milk"), {signal: never})
  expect(finish).toBe("calls")
  expect(calls).toEqual([
    {id: "call_0_0", name: "notes__add", input: '{"text":"milk"}'},
    {id: "call_0_1", name: "notes__list", input: '{"page": '},
  ])
})
