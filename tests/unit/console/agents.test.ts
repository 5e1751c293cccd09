import {describe, expect, test} from "vitest"
import {aboutOf, toneOfEvent} from "../../../server/console/web/host/links.ts"
import {beginningOf, saidOf} from "../../../server/console/web/pages/agents/said.ts"
import {askedOf, axisOf, stretchOf} from "../../../server/console/web/pages/agents/waterfall.ts"
import {
  healthOf,
  measuresOf,
  money,
  openRunsOf,
  reasonSays,
  shareOf,
  span,
  statusOf,
  toneOfShare,
} from "../../../server/console/web/pages/agents/words.ts"
import {showAgents} from "../../../server/console/web/pages/overview/attention-agents.ts"
import {en} from "../../../server/console/web/texts/en.ts"
import {agentReasons} from "../../../shared/agents/states.ts"
import type {AgentMcpView, AgentStepView, AgentView, ApprovalView} from "../../../shared/api/agents/agents.ts"
import {readinessReasons} from "../../../shared/api/readiness.ts"
import {findAgents} from "../../../shared/attention/find.ts"
import type {Envelope} from "../../../shared/events/event-stream.ts"
import {envelopeOf} from "./envelope.ts"

const zero = Date.parse("2026-11-25T12:00:00.000Z")
const at = (milliseconds: number) => new Date(zero + milliseconds).toISOString()

const step = (begun: number | null, ended: number | null, more: Partial<AgentStepView> = {}): AgentStepView => ({
  step: 1,
  kind: "model",
  name: "small",
  effect: null,
  state: ended === null ? "begun" : "done",
  begun: 1,
  reason: null,
  error: null,
  input: null,
  output: null,
  tokensIn: null,
  tokensOut: null,
  money: null,
  begunAt: begun === null ? null : at(begun),
  endedAt: ended === null ? null : at(ended),
  ...more,
})

const run = (ended: number | null, ...trail: readonly AgentStepView[]) => ({
  createdAt: at(0),
  endedAt: ended === null ? null : at(ended),
  trail,
})

describe("the waterfall of a run", () => {
  const barsOf = (shown: ReturnType<typeof run>, now = zero) => {
    const axis = axisOf(shown, now)
    return shown.trail.map(each => {
      const {left, width} = axis.barOf(stretchOf(each, now) ?? {from: zero, to: zero})
      return [left, width].map(part => Number(part.toFixed(4)))
    })
  }

  test("places steps at their times, in proportion to their length", () => {
    expect(barsOf(run(1000, step(100, 600), step(600, 700), step(700, 1000)))).toEqual([
      [0.1, 0.5],
      [0.6, 0.1],
      [0.7, 0.3],
    ])
  })

  test("gives each parallel step its own place", () => {
    expect(barsOf(run(1000, step(0, 800), step(200, 1000)))).toEqual([
      [0, 0.8],
      [0.2, 0.8],
    ])
  })

  test("grows a running step with time, and draws no bar for one that has not started", () => {
    expect(barsOf(run(null, step(0, 500), step(500, null)), zero + 2000)).toEqual([
      [0, 0.25],
      [0.25, 0.75],
    ])
    expect(stretchOf(step(null, null, {state: "planned"}), zero)).toBeUndefined()
  })

  test("shortens a wait longer than all steps together, and shows its length", () => {
    const hours = 8 * 3_600_000
    const shown = run(hours + 2000, step(0, 1000), step(hours + 1000, hours + 2000))
    const {cuts} = axisOf(shown, zero)
    expect(cuts.map(({milliseconds}) => milliseconds)).toEqual([hours])
    expect(barsOf(shown)).toEqual([
      [0, 0.4444],
      [0.5556, 0.4444],
    ])
  })

  test("gives waits at most half of the steps' width", () => {
    const many = Array.from({length: 40}, (_, index) => step(index * 100_000, index * 100_000 + 10))
    const {cuts} = axisOf(run(39 * 100_000 + 10, ...many), zero)
    expect(cuts).toHaveLength(39)
    expect(cuts.reduce((sum, {width}) => sum + width, 0)).toBeLessThanOrEqual(1 / 3)
  })

  test("shows a person's time on the same axis", () => {
    const shown = run(3000, step(0, 1000), step(2000, 3000))
    const asked = {askedAt: at(1000), decidedAt: at(2000), state: "approved"} as const
    const {left, width} = axisOf(shown, zero).barOf(askedOf(asked, zero))
    expect([left, width]).toEqual([1 / 3, 1 / 3])
    expect(askedOf({...asked, decidedAt: null, state: "waiting"}, zero + 5000).to).toBe(zero + 5000)
  })

  test("places nothing outside the axis, whatever the clocks were", () => {
    const set = run(500, step(-300, -400), step(900, 100), step(0, 0, {state: "unknown", endedAt: null}))
    for (const [left = -1, width = -1] of barsOf(set)) {
      expect(left).toBeGreaterThanOrEqual(0)
      expect(width).toBeGreaterThanOrEqual(0)
      expect(left + width).toBeLessThanOrEqual(1)
    }
    expect(barsOf(run(0, step(0, 0)))).toEqual([[0, 0]])
    expect(axisOf(run(null), zero - 5000).to).toBe(zero)
  })
})

describe("input and output", () => {
  test("show text unchanged, and format JSON, even JSON inside a string", () => {
    expect(saidOf("line one\nline two")).toEqual([{text: "line one\nline two", isCode: false}])
    expect(saidOf('{"channel":"#ops"}')).toEqual([{text: '{\n  "channel": "#ops"\n}', isCode: true}])
    expect(saidOf('{"broken')).toEqual([{text: '{"broken', isCode: false}])
    expect(saidOf({calls: [{name: "send", input: '{"a":1}'}]})[0]?.text).toContain('"a": 1')
    expect(saidOf({text: "Tea is ready", channel: "#office"})).toHaveLength(1)
    expect(saidOf(42)).toEqual([{text: "42", isCode: true}])
  })

  test("show messages with their role, and a reply's text first", () => {
    expect(
      saidOf([
        {role: "user", text: "hi"},
        {role: "tool", name: "find", result: "none"},
      ]),
    ).toEqual([
      {by: "user", text: "hi", isCode: false},
      {by: "tool", text: '{\n  "name": "find",\n  "result": "none"\n}', isCode: true},
    ])
    expect(saidOf({text: "Done.", calls: [], finish: "stop"})).toEqual([
      {text: "Done.", isCode: false},
      {text: '{\n  "finish": "stop"\n}', isCode: true},
    ])
  })

  test("are empty for an empty value", () => {
    for (const nothing of [null, undefined, "", []]) expect(saidOf(nothing)).toEqual([])
  })

  test("start with an excerpt of a long text, but not of a short one", () => {
    expect(beginningOf("short")).toBeUndefined()
    expect(beginningOf("x".repeat(5000))).toHaveLength(1500)
    expect(beginningOf("x\n".repeat(50))?.split("\n")).toHaveLength(20)
  })
})

const agent = (name: string, more: Partial<AgentView> = {}): AgentView => ({
  name,
  enabled: true,
  description: "",
  provider: "anthropic",
  model: "small",
  baseURL: null,
  models: [{provider: "anthropic", model: "small", state: "ready", inUse: true}],
  configured: true,
  reason: null,
  problem: null,
  permission: "none",
  triggers: [],
  tools: [],
  mcp: [],
  runs: {queued: 0, running: 0, waiting: 0, held: 0, succeeded: 0, failed: 0, cancelled: 0},
  approvals: 0,
  today: {runs: 0, tokens: 0, money: 0, limits: []},
  lastRun: null,
  ...more,
})

describe("agents in words", () => {
  test("name the MCP servers that failed, and those with changed tools", () => {
    const server = (state: "failed" | "online", ...tools: AgentMcpView["tools"]) => [
      {name: "files", transport: "stdio" as const, state, since: null, error: null, tools},
    ]
    const changed = {name: "read", state: "waiting", description: "Reads"} as const
    const items = [agent("a", {mcp: server("failed")}), agent("b", {mcp: server("online", changed)}), agent("c")]
    const found = findAgents({agents: {items, approvals: []}, report: undefined})
    expect(found.map(({code}) => code)).toEqual(["mcp_failed", "mcp_changed"])
    expect(found.map(each => showAgents(each).why)).toEqual(["a: files.", "b: files."])
  })

  test("say why a binding is not configured and what to do, without private data for a demo token", () => {
    const wrong = agent("triage", {configured: false, reason: "agent_missing", problem: "the key is not set"})
    expect(healthOf(wrong)).toMatchObject({tone: "bad", word: "not configured", command: "svc runtime reload"})
    expect(healthOf(wrong).why).toMatch(/^the key is not set Add agents\.triage/)
    const {problem: _, ...observed} = wrong
    expect(healthOf(observed as AgentView).why).toContain(readinessReasons.agent_missing.message)
    expect(healthOf(agent("off", {enabled: false})).word).toBe("disabled")
    expect(healthOf(agent("good"))).toEqual({tone: "good", word: "configured"})
  })

  test("count open runs by state, and name what a waiting run waits for", () => {
    const runs = {...agent("a").runs, running: 2, held: 1}
    expect(openRunsOf({runs})).toBe("2 running, 1 held")
    expect(openRunsOf(agent("a"))).toBe("no open runs")
    const waiting = {state: "waiting", waitsFor: "retry", dueAt: at(0), reason: null} as const
    expect(statusOf(waiting)).toMatch(new RegExp(`^${en.agents.waits.retry}, ${en.agents.due.retry(".")}`))
    expect(statusOf({...waiting, waitsFor: "approval"})).toMatch(
      new RegExp(`^${en.agents.waits.approval}, ${en.agents.due.approval(".+")}$`),
    )
    expect(statusOf({...waiting, waitsFor: "ingress", dueAt: null})).toBe(en.agents.waits.ingress)
    expect(statusOf({...waiting, state: "failed", reason: "limit_day"})).toBe("limit_day")
  })

  test("show short lengths, amounts and shares of limits", () => {
    expect([span(-5), span(312.4), span(4200), span(59_970), span(3_723_000)]).toEqual([
      "0 ms",
      "312 ms",
      "4.2 s",
      "1 min",
      "1 h 2 min",
    ])
    expect([money(0), money(0.012345), money(1.5), money(1234.5)]).toEqual(["0", "0.0123", "1.5", "1,235"])
    expect(shareOf("tokens", 3200, 10_000)).toBe("3,200 of 10,000")
    expect([toneOfShare(1, 10), toneOfShare(8, 10), toneOfShare(10, 10)]).toEqual(["good", "warn", "bad"])
  })

  test("show when a step started, its duration and its cost", () => {
    const done = step(400, 1600, {tokensIn: 1200, tokensOut: 30, money: 0.0042})
    expect(measuresOf(done, stretchOf(done, zero), zero)).toEqual([
      "after 400 ms",
      "took 1.2 s",
      "1,200 tokens in, 30 out",
      "money 0.0042",
    ])
    const going = step(400, null)
    expect(measuresOf(going, stretchOf(going, zero + 900), zero)).toEqual(["after 400 ms", "for 500 ms"])
    expect(measuresOf(step(null, null), undefined, zero)).toEqual(["not started"])
  })

  test("explain every reason in a sentence, and show an unknown one as its code", () => {
    for (const [reason, sentence] of Object.entries(agentReasons)) expect(reasonSays(reason)).toBe(sentence)
    expect(reasonSays("of_tomorrow")).toBe("of_tomorrow")
  })
})

describe("agents that need attention", () => {
  const approval: ApprovalView = {
    seq: 1,
    id: "a1",
    runId: "r1",
    agent: "triage",
    step: 2,
    tool: "send",
    state: "waiting",
    shown: `Send "${"x".repeat(200)}" to #ops`,
    permission: "trusted",
    endpoint: null,
    channel: null,
    askedAt: at(0),
    expiresAt: at(1000),
    decidedAt: null,
    decidedBy: null,
    reason: null,
  }
  const lastRun = {runId: "r2", state: "failed", reason: "provider_refused", endedAt: at(0)} as const
  const found = (items: readonly AgentView[], approvals: readonly ApprovalView[] = []) =>
    findAgents({agents: {items, approvals}, report: undefined}).map(showAgents)

  test("have an approval first, with the start of its effect; healthy agents are left out", () => {
    const [first, ...others] = found([agent("triage", {approvals: 1})], [approval])
    expect(first).toMatchObject({tone: "warn", title: en.attention.approvals(1), page: "agents"})
    expect(first?.why).toMatch(/^triage: Send "x+…$/)
    expect(others).toEqual([])
    const {shown: _, ...observed} = approval
    expect(found([], [observed as ApprovalView])[0]?.why).toBe("triage: send.")
  })

  test("include unconfigured bindings, failed and held runs, but not disabled bindings", () => {
    const items = [
      agent("a", {configured: false, reason: "agent_missing", problem: "no key"}),
      agent("b", {lastRun}),
      agent("c", {runs: {...agent("c").runs, held: 3}}),
      agent("d", {enabled: false, configured: false, lastRun}),
    ]
    expect(found(items).map(({tone, title, why}) => `${tone} ${title}: ${why}`)).toEqual([
      `bad ${en.attention.agentsWrong(1)}: a: no key.`,
      `warn ${en.attention.agentsFailed(1)}: b (provider_refused).`,
      `warn ${en.attention.agentsHeld(3)}: c (3).`,
    ])
  })
})

test("an event of an agent links to its run, and is easy to read", () => {
  const event = (type: Envelope["type"], data: object) =>
    envelopeOf(type, {agent: "triage", ...data}, {at: at(0), runId: "r1"})
  expect(aboutOf(event("agent.step", {}))).toEqual(["agents", "triage", "r1"])
  const types = [
    "agent.run_failed",
    "agent.run_waiting",
    "agent.approval_asked",
    "agent.approval_approved",
    "agent.run_succeeded",
  ] as const
  expect(types.map(type => toneOfEvent(event(type, {})))).toEqual(["bad", "warn", "warn", "good", "good"])
  expect(toneOfEvent(event("agent.step", {state: "failed"}))).toBe("bad")
})
