import {describe, expect, test} from "vitest"
import type {At, Input} from "../../../shared/api/operations/client.ts"
import {runOf} from "../../support/agents/host.ts"
import {agentApproval, agentRun, agentSpending, agentStep, fillDatabase} from "../../support/agents/rows.ts"
import {bunOr, expectProblem, makeProject, posting, shared, startHost, svc} from "../../support/host/host.ts"
import {problemsIn} from "../../support/host/problems-in.ts"
import {fullAndDemo} from "../../support/host/tokens.ts"

const config = `${fullAndDemo.config()}agents:
  writer:
    description: canary-description
    provider: openai-compatible
    baseURL: http://127.0.0.1:9/v1
    model: small
    instructions: Write.
    triggers: {mention: true, command: ask}
    limits: {steps: 10, tokens: 1000, money: 2, day: {runs: 5, money: 3}, user: {tokens: 100}}
    prices: {input: 1, output: 2}
  reader: {provider: antropic, model: large, instructions: Read.}
  off: {enabled: false, provider: google, model: none, instructions: None.}
`

const today = new Date().toISOString().slice(0, 10)

/** Rows as the engine leaves them: ended runs, one held by a restore, and one that waits for an approval. */
const rows = [
  agentRun(1, {
    agent: "writer",
    state: "succeeded",
    answer: "canary-answer",
    input: "canary-input",
    tokens: 30,
    money: 500_000,
  }),
  agentRun(2, {
    agent: "writer",
    state: "failed",
    reason: "provider_refused",
    error: "canary-error",
    user: "canary-user",
  }),
  agentRun(3, {agent: "reader", state: "cancelled", reason: "cancelled"}),
  agentRun(4, {agent: "off", state: "held", reason: "restored"}),
  agentRun(5, {agent: "writer", state: "waiting", waits_for: "approval", steps: 3, tokens: 120, active_ms: 2500}),
  agentStep(5, 1, {
    input: '{"text":"canary-told"}',
    output: '{"text":"","calls":[]}',
    tokens_in: 20,
    tokens_out: 4,
    money: 28,
  }),
  agentStep(5, 2, {
    kind: "tool",
    name: "send",
    effect: "transaction",
    state: "waiting",
    begun: 0,
    input: '{"text":"canary-args"',
  }),
  agentApproval(5, 2, {shown: "canary-shown", endpoint: "sandbox", channel: "canary-channel"}),
  agentApproval(1, 1, {state: "approved", decided_at: 1000, decided_by: "canary-decider"}),
  agentSpending("writer", today, {runs: 2, tokens: 150, money: 1_500_000}),
  {
    sql: `INSERT INTO agent_run_totals (agent, outcome, runs, tokens_in, tokens_out, money) VALUES
    ('writer', 'succeeded', 7, 100, 15, 1000000), ('writer', 'failed', 2, 10, 5, 250000), ('writer', 'cancelled', 3, 0, 0, 0)`,
  },
]

const start = async (runtime: (typeof runtimes)[number]) => {
  const project = makeProject({config})
  await fillDatabase(project, rows)
  return startHost({runtime, project, env: fullAndDemo.env, args: ["--no-watch"]})
}

const runtimes = bunOr("node24")

describe.each(runtimes)("agents over HTTP on $name", runtime => {
  const host = shared(() => start(runtime))

  test("the list shows each binding with its configuration problems, figures and limits", async () => {
    const {items} = await host().get("/api/agents")
    expect(items.map(({name, enabled, configured, reason}) => ({name, enabled, configured, reason}))).toEqual([
      {name: "writer", enabled: true, configured: true, reason: null},
      {name: "reader", enabled: true, configured: false, reason: "agent_provider_unknown"},
      {name: "off", enabled: false, configured: false, reason: "agent_disabled"},
    ])
    const writer = await host().get("/api/agents/:name", {name: "writer"})
    expect(writer).toEqual(items[0])
    expect(writer).toMatchObject({
      description: "canary-description",
      triggers: ["mention", "command"],
      runs: {queued: 0, running: 0, waiting: 1, held: 0, succeeded: 7, failed: 2, cancelled: 3},
      approvals: 1,
      today: {runs: 2, tokens: 150, money: 1.5},
      lastRun: {runId: "run-5", state: "waiting", reason: null, endedAt: null},
    })
    expect(writer.today.limits).toEqual([
      {of: "run", what: "parallel", limit: 4, used: 0},
      {of: "run", what: "steps", limit: 10, used: null},
      {of: "run", what: "seconds", limit: 600, used: null},
      {of: "run", what: "tokens", limit: 1000, used: null},
      {of: "run", what: "money", limit: 2, used: null},
      {of: "user", what: "tokens", limit: 100, used: null},
      {of: "day", what: "runs", limit: 5, used: 2},
      {of: "day", what: "money", limit: 3, used: 1.5},
    ])
    await expectProblem(await host().fetch("/api/agents/nobody"), 404, "agent_unknown")
  })

  test("agent runs are listed apart from job runs, filtered by agent and state, in pages", async () => {
    const runs = async (query: Input<At<"GET", "/api/runs">>) => {
      const {items, next} = await host().get("/api/runs", query)
      return {ids: items.map(({runId}) => runId), next}
    }
    expect(await runs({})).toEqual({ids: [], next: null})
    expect(await runs({kind: "agent"})).toEqual({ids: ["run-5", "run-4", "run-3", "run-2", "run-1"], next: null})
    expect(await runs({kind: "agent", agent: "writer", state: "failed"})).toEqual({ids: ["run-2"], next: null})
    expect(await runs({kind: "agent", limit: 2})).toEqual({ids: ["run-5", "run-4"], next: "4"})
    expect(await runs({kind: "agent", limit: 2, cursor: 4})).toEqual({ids: ["run-3", "run-2"], next: "2"})
  })

  test("a filter that does not fit the kind of run is rejected with the reason", async () => {
    const detail = async (query: string) =>
      (await expectProblem(await host().fetch(`/api/runs?${query}`), 400, "request_invalid")).detail
    expect(await detail("agent=writer")).toMatch(/add kind=agent/)
    expect(await detail("kind=agent&job=nightly")).toMatch(/leave out kind=agent/)
    expect(await detail("kind=agent&state=skipped")).toMatch(/\bqueued, .+, not skipped\b/)
    expect(await detail("state=waiting")).toMatch(/runs of jobs are queued/)
  })

  test("a run shows its steps with input and output, its approvals, and its share of each limit", async () => {
    const run = await runOf(host(), "run-5")
    expect(run).toMatchObject({
      kind: "agent",
      agent: "writer",
      state: "waiting",
      waitsFor: "approval",
      input: "question 5",
    })
    expect(run.trail).toMatchObject([
      {
        step: 1,
        kind: "model",
        input: {text: "canary-told"},
        output: {text: "", calls: []},
        tokensIn: 20,
        money: 0.000028,
      },
      {
        step: 2,
        kind: "tool",
        name: "send",
        effect: "transaction",
        state: "waiting",
        input: '{"text":"canary-args"',
        output: null,
      },
    ])
    expect(run.approvals).toMatchObject([
      {id: "approval-5-2", runId: "run-5", agent: "writer", step: 2, state: "waiting"},
    ])
    expect(run.limits).toEqual([
      {what: "steps", limit: 10, used: 3},
      {what: "seconds", limit: 600, used: 2.5},
      {what: "tokens", limit: 1000, used: 120},
      {what: "money", limit: 2, used: 0},
    ])
    await expectProblem(await host().fetch("/api/runs/none"), 404, "run_unknown")
  })

  test("approvals are listed by state, newest first", async () => {
    const ids = async (state?: string) => (await host().get("/api/approvals", {state})).items.map(({id}) => id)
    expect(await ids()).toEqual(["approval-1-1", "approval-5-2"])
    expect(await ids("waiting")).toEqual(["approval-5-2"])
    expect(await ids("denied")).toEqual([])
  })

  test("a demo token sees states and figures, but no text", async () => {
    for (const path of `/api/agents /api/agents/writer /api/runs?kind=agent /api/runs/run-5 /api/runs/run-1
      /api/runs/run-2 /api/approvals`.split(/\s+/)) {
      const headers = {authorization: `Bearer ${fullAndDemo.env.DEMO_TOKEN}`}
      const answer = await host().fetch(path, {headers})
      const text = await answer.text()
      expect({path, status: answer.status, text}).toEqual({
        path,
        status: 200,
        text: expect.not.stringContaining("canary"),
      })
      expect(text).toMatch(/"state":"|"configured":/)
      expect(await (await host().fetch(path)).text()).toContain("canary")
    }
  })

  test("the bodies of questions and decisions are validated, and a demo token may send neither", async () => {
    const post = (path: string, body: unknown, token: string = fullAndDemo.env.HTTP_TOKEN) =>
      host().fetch(path, posting(body, {authorization: `Bearer ${token}`}))
    await expectProblem(await post("/api/agents/writer/run", {}), 400, "request_invalid")
    await expectProblem(await post("/api/agents/writer/run", {input: "x", permission: "root"}), 400, "request_invalid")
    await expectProblem(await post("/api/approvals/approval-5-2/approve", {by: ""}), 400, "request_invalid")
    await expectProblem(await post("/api/agents/nobody/check", {}), 404, "agent_unknown")
    for (const path of ["/api/agents/writer/run", "/api/approvals/approval-5-2/deny", "/api/runs/held/release"]) {
      await expectProblem(await post(path, {}, fullAndDemo.env.DEMO_TOKEN), 403, "forbidden")
    }
  })

  test("metrics count runs, tokens, money and approvals, and name the newest run that failed", async () => {
    const page = await (await host().fetch("/api/metrics")).text()
    const value = (name: string, ...labels: readonly string[]) =>
      page
        .split("\n")
        .find(line => line.startsWith(name) && labels.every(label => line.includes(label)))
        ?.split(" ")
        .at(-1)
    expect(value("svc_agent_runs_total{", 'agent="writer"', 'outcome="succeeded"')).toBe("7")
    expect(value("svc_agent_runs{", 'agent="off"', 'state="held"')).toBe("1")
    expect(value("svc_agent_runs{", 'agent="writer"', 'state="waiting"')).toBe("1")
    expect(value("svc_agent_failed_run_info{", 'agent="writer"', 'run_id="run-2"')).toBe("1")
    expect(value("svc_agent_failed_run_info{", 'agent="reader"', 'run_id="run-3"')).toBe("1")
    expect(value("svc_agent_failed_run_info{", 'agent="off"')).toBeUndefined()
    expect(value("svc_agent_tokens_total{", 'agent="writer"', 'direction="out"')).toBe("20")
    expect(value("svc_agent_money_total{", 'agent="writer"')).toBe("1.25")
    expect(value("svc_agent_approvals_waiting")).toBe("1")
    expect(value("svc_collect_failures_total{", 'part="agents"')).toBe("0")
  })

  test("the command line lists and shows bindings, runs and steps", async () => {
    const {project} = host()
    const run = (...args: string[]) =>
      svc(runtime, project, ["agent", ...args], {env: {SVC_HTTP_TOKEN: fullAndDemo.env.HTTP_TOKEN}})
    const list = await run("list")
    expect(list.stdout).toMatch(/^writer +openai-compatible small +configured +0 +1 +7 +2 +3 +1 +150 tokens$/m)
    expect(list.stdout).toMatch(/^reader +antropic large +agent_provider_unknown/m)
    expect((await run("show", "reader")).stdout).toContain('did you mean "anthropic"?')
    const runs = await run("runs", "--agent", "writer", "--state", "failed")
    expect(runs.stdout).toMatch(/^run-2 +writer .+ operator +failed +provider_refused +0 +0 +canary-error$/m)
    const shown = await run("show", "run-5")
    expect(shown.stdout).toMatch(/^state +waiting, approval$/m)
    expect(shown.stdout).toMatch(/^2 +tool +send +waiting/m)
    expect(shown.stdout).toContain("svc agent approve approval-5-2")
    const json = await run("show", "run-5", "--json")
    expect(JSON.parse(json.stdout)).toMatchObject({runId: "run-5", trail: [{step: 1}, {step: 2}]})
  })

  test("the incident check names the agents with runs that wait for a person", async () => {
    const {project, url} = host()
    const incident = await svc(runtime, project, ["doctor", "--incident", url], {
      env: {SVC_HTTP_TOKEN: fullAndDemo.env.HTTP_TOKEN},
    })
    expect(incident.stdout).toMatch(/agent writer: a call waits for approval \(svc agent runs --state waiting\)/)
    expect(incident.stdout).toMatch(/agent off: .*\bheld\b.* \(svc agent runs --state held\)/)
    expect(incident.stdout).not.toContain("agent reader")
  })

  test("the command line reports unknown agents and runs, and missing arguments", async () => {
    const {project} = host()
    const refusal = async (...args: string[]) => {
      const {code, stderr} = await svc(runtime, project, ["agent", ...args], {
        env: {SVC_HTTP_TOKEN: fullAndDemo.env.HTTP_TOKEN},
      })
      return `${code} ${stderr}`
    }
    expect(await refusal("show", "nobody")).toMatch(/^1 svc: .*\bnobody\n {2}hint: /)
    expect(problemsIn(await refusal("check", "nobody"))).toEqual(["agent_unknown"])
    expect(problemsIn(await refusal("approve", "run-1"))).toEqual(["approval_unknown"])
    expect(await refusal("release")).toMatch(/^1 svc: .*which run\?/s)
    expect(await refusal("runs", "--state", "skipped")).toMatch(/, not skipped/)
  })
})
