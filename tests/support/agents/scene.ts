import type {Statement} from "../../../shared/sdk/session/database.ts"
import {agentApproval, agentRun, agentSpending, agentStep, rowsBegin} from "./rows.ts"

/** Bindings, and rows of their runs as the engine would leave them, for pages that show them. */

export const agentsOfScene = `agents:
  triage:
    description: Sorts what comes in
    provider: openai-compatible
    baseURL: http://127.0.0.1:9/v1
    model: small
    instructions: Sort.
    triggers: {mention: true, command: ask}
    permission: trusted
    limits: {steps: 10, tokens: 1000, money: 2, day: {runs: 5, money: 3}, user: {tokens: 100}}
    prices: {input: 1, output: 2}
  reader: {provider: antropic, model: large, instructions: Read.}
  off: {enabled: false, provider: google, model: none, instructions: None.}
`

const second = (count: number) => rowsBegin + count * 1000
const json = (value: unknown) => JSON.stringify(value)
const today = () => new Date().toISOString().slice(0, 10)
const hours = 8 * 3600

/** A run that was interrupted once, and that waited eight hours for a person's approval. */
const answered = [
  agentRun(1, {
    agent: "triage",
    cause: "event",
    state: "succeeded",
    endpoint: "sandbox",
    channel: "#team",
    user: "ada",
    inbox_seq: 1,
    item: 1,
    input: "Where is the printer?\nAnd who has its key?",
    answer: "On the second floor. I have told #office.",
    attempt: 2,
    steps: 4,
    tokens: 640,
    money: 42_000,
    active_ms: 5000,
    created_at: second(0),
    started_at: second(1),
    ended_at: second(hours + 6),
  }),
  agentStep(1, 1, {
    input: json([{role: "user", text: "Where is the printer?\nAnd who has its key?"}]),
    output: json({text: "I look it up.", calls: [{id: "c1", name: "docs__find", input: '{"words":"printer"}'}]}),
    begun: 2,
    tokens_in: 200,
    tokens_out: 20,
    money: 21_000,
    begun_at: second(1),
    ended_at: second(3),
  }),
  agentStep(1, 2, {
    kind: "tool",
    name: "docs.find",
    effect: "none",
    input: json({words: "printer"}),
    output: Array.from({length: 200}, (_, index) => `line ${index} of the handbook`).join("\n"),
    begun_at: second(3),
    ended_at: second(4),
  }),
  agentStep(1, 3, {
    kind: "tool",
    name: "send",
    effect: "transaction",
    input: json({endpoint: "sandbox", channel: "#office", text: "The printer's key, please."}),
    output: "sent",
    begun_at: second(hours + 4),
    ended_at: second(hours + 5),
  }),
  agentStep(1, 4, {
    input: json([{role: "tool", name: "send", result: "sent"}]),
    output: json({text: "On the second floor. I have told #office.", calls: [], finish: "stop"}),
    tokens_in: 400,
    tokens_out: 20,
    money: 21_000,
    begun_at: second(hours + 5),
    ended_at: second(hours + 6),
  }),
  agentApproval(1, 3, {
    state: "approved",
    shown: "send “The printer's key, please.” to #office on sandbox",
    asked_at: second(4),
    decided_at: second(hours + 4),
    decided_by: "user:sandbox/grace",
  }),
]

const failed = [
  agentRun(2, {
    agent: "triage",
    state: "failed",
    reason: "provider_refused",
    error: "401: the key of triage is wrong",
    attempt: 1,
    steps: 1,
    started_at: second(2),
  }),
  agentStep(2, 1, {
    state: "failed",
    reason: "provider_refused",
    error: "401: the key of triage is wrong",
    input: "[]",
    begun_at: second(2),
    ended_at: second(2),
  }),
]

const waiting = [
  agentRun(4, {
    agent: "triage",
    cause: "mention",
    state: "waiting",
    waits_for: "approval",
    attempt: 1,
    steps: 2,
    tokens: 900,
    started_at: second(4),
    input: "Tell the office",
  }),
  agentStep(4, 1, {
    input: json([{role: "user", text: "Tell the office"}]),
    output: json({text: "", calls: [{id: "c1", name: "send", input: "{}"}]}),
    tokens_in: 20,
    tokens_out: 4,
    begun_at: second(4),
    ended_at: second(5),
  }),
  agentStep(4, 2, {
    kind: "tool",
    name: "send",
    effect: "transaction",
    state: "waiting",
    begun: 0,
    input: json({endpoint: "sandbox", channel: "#office", text: "Tea is ready"}),
  }),
  agentApproval(4, 2, {
    shown: "send “Tea is ready” to #office on sandbox",
    endpoint: "sandbox",
    channel: "#team",
    asked_at: second(5),
  }),
]

/** Ended runs of a binding, more than fit on one page of the list. */
const many = Array.from({length: 130}, (_, index) => agentRun(10 + index, {agent: "off", state: "cancelled"}))

export const sceneOfAgents = (): readonly Statement[] => [
  ...many,
  ...answered,
  ...failed,
  agentRun(3, {agent: "triage", state: "held", reason: "restored", attempt: 1}),
  ...waiting,
  agentSpending("triage", today(), {runs: 4, tokens: 1540, money: 1_500_000}),
]
