import {describe, expect, test} from "vitest"
import {nextOf} from "../../../server/agents/calls/run.ts"
import {messagesOf, modelNameOf} from "../../../server/agents/runs/conversation.ts"
import type {ModelStep, Step, ToolStep} from "../../../server/agents/runs/step-rows.ts"
import type {AgentStepState} from "../../../shared/agents/states.ts"

const model = (n: number, state: AgentStepState, calls: number, text = ""): ModelStep => ({
  kind: "model",
  n,
  state,
  begun: 1,
  sent: undefined,
  reply:
    state === "done"
      ? {
          text,
          finish: calls === 0 ? "stop" : "calls",
          usage: {input: 1, output: 1},
          calls: Array.from({length: calls}, (_, index) => ({id: `c${n}.${index}`, name: "a__b", input: "{}"})),
        }
      : undefined,
})

const tool = (n: number, state: AgentStepState): ToolStep => ({
  kind: "tool",
  n,
  state,
  begun: state === "planned" ? 0 : 1,
  tool: "a.b",
  call: {id: `c${n}`, name: "a.b", input: "{}"},
  effect: "none",
  result: ["done", "failed", "unknown", "refused"].includes(state) ? `result ${n}` : undefined,
})

describe("the next step of a run", () => {
  test.each<[string, readonly Step[], object]>([
    ["is the model at first", [], {is: "model", n: 1}],
    ["is the model again when the Host ended during its call", [model(1, "begun", 0)], {is: "model", n: 1}],
    [
      "is the first call that the model requested",
      [model(1, "done", 2), tool(2, "planned"), tool(3, "planned")],
      {is: "tool", step: {n: 2}},
    ],
    [
      "is the next call once the previous one has ended",
      [model(1, "done", 2), tool(2, "failed"), tool(3, "planned")],
      {is: "tool", step: {n: 3}},
    ],
    [
      "is the call during which the Host ended",
      [model(1, "done", 2), tool(2, "begun"), tool(3, "planned")],
      {is: "again", step: {n: 2}},
    ],
    ["is a person's decision", [model(1, "done", 1), tool(2, "waiting")], {is: "approval", step: {n: 2}}],
    [
      "is the model once all calls have ended",
      [model(1, "done", 2), tool(2, "unknown"), tool(3, "refused")],
      {is: "model", n: 4},
    ],
    [
      "is the answer when the model requests nothing",
      [model(1, "done", 0, "hello")],
      {is: "answer", reply: {text: "hello"}},
    ],
  ])("%s", (_, steps, next) => expect(nextOf(steps)).toMatchObject(next))
})

test("the model receives the question, each result after its call, and what the user said before each call", () => {
  const steps = [model(1, "done", 2, "let me see"), tool(2, "done"), tool(3, "refused")]
  const said = [
    {seq: 1, text: "quick", told: 1},
    {seq: 2, text: "and tea", told: 4},
    {seq: 3, text: "please", told: undefined},
  ]
  expect(messagesOf("what now", steps, said)).toEqual([
    {role: "user", text: "what now"},
    {role: "user", text: "quick"},
    {role: "assistant", text: "let me see", calls: [expect.anything(), expect.anything()]},
    {role: "tool", call: "c2", name: "a__b", result: "result 2"},
    {role: "tool", call: "c3", name: "a__b", result: "result 3"},
    {role: "user", text: "and tea"},
    {role: "user", text: "please"},
  ])
})

test("a tool has a name that providers accept", () => {
  expect(["send", "workroom.add", "my-plugin.look_up"].map(modelNameOf)).toEqual([
    "send",
    "workroom__add",
    "my-plugin__look_up",
  ])
})
