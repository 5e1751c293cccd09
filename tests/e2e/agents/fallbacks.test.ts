import {describe, expect, onTestFinished, test} from "vitest"
import type {AgentCheck} from "../../../shared/api/agents/agents.ts"
import {endOf, readRows, runOf, runsOf} from "../../support/agents/host.ts"
import {type ScriptedAnswer, startScriptedModel} from "../../support/agents/scripted-model.ts"
import {
  botTexts,
  bunOr,
  freePort,
  makeProject,
  printed,
  runCommand,
  startHost,
  type TestHost,
  until,
} from "../../support/host/host.ts"
import {answer} from "../../support/messages/answers.ts"

/** What the first model of an agent does, by the agent's name. Scripted servers stand in for the providers. */
const faults: Readonly<Record<string, ScriptedAnswer | undefined>> = {
  limited: {status: 429, headers: {"retry-after": "120"}},
  broken: {status: 503},
  keyless: {status: 401, message: "no such key"},
  cut: {text: "Once upon", cut: true},
  silent: {hang: "before"},
  stuck: {text: "Once upon", hang: "text"},
  // Nothing listens there.
  absent: undefined,
}
const names = Object.keys(faults)

const usage = {input: 100, output: 10}

const modelAt = (model: string, url: string, more = "") =>
  `{provider: openai-compatible, model: ${model}, baseURL: "${url}"${more}}`

const configOf = (agents: Readonly<Record<string, readonly string[]>>) => `http: {port: 0}
plugins: {sandbox: {}}
agents:
${Object.entries(agents)
  .map(
    ([name, models]) => `  ${name}:
    models: [${models.join(", ")}]
    instructions: You help.
    triggers: {command: ${name}}
`,
  )
  .join("")}`

const secondsOf = ({startedAt, endedAt}: {startedAt: string | null; endedAt: string | null}) =>
  (Date.parse(endedAt ?? "") - Date.parse(startedAt ?? "")) / 1000

const ask = async (host: TestHost, name: string) => {
  const {id} = await host.post("/api/agents/:name/run", {name, body: {input: "hello"}})
  return endOf(host, id)
}

describe.each(bunOr("node24"))("an agent with two models on $name", runtime => {
  test("answers by the second within 20 s, whatever the first does, and says so", async () => {
    const first = await startScriptedModel(({model}) => faults[model] ?? {status: 500})
    const second = await startScriptedModel([{text: "From the second.", usage}])
    const absent = `http://127.0.0.1:${await freePort()}/v1`
    const agents = Object.fromEntries(
      names.map(name => [name, [modelAt(name, name === "absent" ? absent : first.url), modelAt("second", second.url)]]),
    )
    const host = await startHost({runtime, config: configOf(agents)})
    onTestFinished(async () => void (await host.stop()))
    for (const name of names) await host.say(`/${name} hello`, {channel: name})
    await until("all runs", async () => (await runsOf(host)).filter(({endedAt}) => endedAt !== null).length === 7)
    const runs = await Promise.all((await runsOf(host)).map(({runId}) => runOf(host, runId)))
    for (const run of runs) {
      expect(run).toMatchObject({state: "succeeded", answer: "From the second."})
      expect(run.trail).toMatchObject([{kind: "model", name: "second", state: "done", begun: 2}])
      expect(secondsOf(run)).toBeLessThan(20)
      const note = answer("agent.fallback", {model: "second"})
      expect((await botTexts(host, run.agent)).join("\n")).toBe(`From the second.\n\n${note}`)
    }
    const slow = runs.filter(run => secondsOf(run) > 14).map(({agent}) => agent)
    expect(slow.sort()).toEqual(["silent", "stuck"])
    const shown = runs.map(run => `${run.agent} ${secondsOf(run).toFixed(1)}`)
    process.stdout.write(`seconds to the second model's answer on ${runtime.name}: ${shown.join(", ")}\n`)

    // The next run begins with the model that works.
    const before = first.requests.length
    const again = await Promise.all(["silent", "stuck", "limited"].map(name => ask(host, name)))
    for (const run of again) expect(secondsOf(run)).toBeLessThan(5)
    expect(first.requests).toHaveLength(before)
    const {items} = await host.get("/api/agents")
    for (const {models} of items)
      expect(models).toMatchObject([
        {state: "cooling", inUse: false},
        {model: "second", state: "ready", inUse: true},
      ])
    const list = await printed(host.project, "agent list", runtime)
    expect(list).toMatch(/^broken +openai-compatible broken, now second +configured/m)
    expect(await printed(host.project, "agent show broken", runtime)).toMatch(
      /^models +broken \(cooling\), second \(in use\)$/m,
    )
    const [{runId} = {runId: ""}] = runs
    expect(await printed(host.project, ["agent", "show", runId], runtime)).toMatch(/^1 +model +second +done/m)
    const metrics = await (await host.fetch("/api/metrics")).text()
    expect(metrics).toMatch(/svc_agent_model_seconds_count\{.*agent="broken".*model="second".*outcome="done".*\} 1\b/)

    const checked = await runCommand(host.project, "agent check keyless", runtime)
    expect(checked).toMatchObject({code: 1, stdout: expect.stringMatching(/^second answered in /)})
    expect(checked.stderr).toMatch(/^svc: keyless: .*401/m)
    expect(checked.stderr).toContain("agents.keyless.models[0].key")
    const check = await host.post("/api/agents/:name/check", {name: "broken"})
    expect(check satisfies AgentCheck).toMatchObject({
      ok: false,
      model: "broken",
      fallbacks: [{ok: true, model: "second"}],
    })
  })

  test("continues after kill -9 with the second model, once, and counts every call", async () => {
    let calls = 0
    const first = await startScriptedModel([{text: "Once upon", cut: true}])
    const second = await startScriptedModel(() => (calls++ === 0 ? {hang: "before"} : {text: "Done.", usage}))
    const config = configOf({helper: [modelAt("first", first.url), modelAt("second", second.url)]})
    let host = await startHost({own: true, runtime, config})
    await host.say("/helper hello", {channel: "a"})
    await until("the second model to be asked", () => calls === 1)
    const [{runId} = {runId: ""}] = await runsOf(host)
    expect((await runOf(host, runId)).trail).toMatchObject([{name: "second", state: "begun", begun: 2}])
    await host.stop("SIGKILL")
    host = await startHost({own: true, runtime, project: host.project})
    const run = await endOf(host, runId)
    expect(run).toMatchObject({state: "succeeded", answer: "Done.", attempt: 2})
    await until("the answer", async () => (await botTexts(host, "a")).length === 1)
    expect((await host.stop()).code).toBe(0)
    const asked = first.requests.length + second.requests.length
    expect(run.trail).toMatchObject([{name: "second", state: "done", begun: asked}])
    // Each call but the last may have used what was reserved for it, at least the output.
    expect(run.tokens).toBeGreaterThan((asked - 1) * 4096 + usage.input + usage.output)
    const [spent] = await readRows(host.project, "SELECT tokens FROM agent_spending WHERE subject = ''")
    expect(spent?.tokens).toBe(run.tokens)
  })
})

test("the position of a missing key or price is that of its model", async () => {
  const config = `http: {port: 0, readiness: {agents: [helper]}}
agents:
  helper:
    provider: openai-compatible
    model: small
    baseURL: http://127.0.0.1:9/v1
    instructions: You help.
    models:
      - {provider: openai-compatible, model: next, baseURL: "http://127.0.0.1:9/v1"}
      - provider: anthropic
        model: large
`
  const {stdout, stderr} = await runCommand(makeProject({config}), "config check")
  expect(stdout + stderr).toMatch(/svc\.config\.yml:10:9 agents\.helper\.models\[1\]\.key: /)
})
