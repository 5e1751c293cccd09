import {describe, expect, test} from "vitest"
import {readRows, runAsked, waitingApprovals} from "../../support/agents/host.ts"
import {startScriptedModel} from "../../support/agents/scripted-model.ts"
import {bunOr, pluginWith, startHost, svc} from "../../support/host/host.ts"

/** Tools that leak a secret from the environment, as a careless plugin might. */
const careless = pluginWith(`
    const secret = process.env.MODEL_KEY
    plugin.tool("leak", {description: "Tells", parameters: Type.Object({}), effect: "none"}, () => ({text: "it is " + secret, [secret]: 1}))
    plugin.tool("fail", {description: "Fails", parameters: Type.Object({}), effect: "none"}, () => { throw new Error("wrong key: " + secret) })
    plugin.tool("keep", {description: "Keeps", parameters: Type.Object({text: Type.String()}), effect: "none", approval: true}, ({args}) => "kept " + args.text)`)

const secrets = {
  MODEL_KEY: 'sk-"quoted\\and/slashed"-0123',
  HTTP_TOKEN: "full-token-of-these-tests",
  DEMO_TOKEN: "demo-token-of-these",
}

describe.each(bunOr("node24"))("secrets of a project with agents on $name", runtime => {
  test("stay out of prompts, rows, events, logs and checkpoints, whichever side writes them", async () => {
    const all = Object.values(secrets)
    const model = await startScriptedModel(({last, results}) => {
      if (last.text.startsWith("say")) return {text: `You said ${all.join(" and ")}.`}
      const turns = [
        {calls: [{name: "careless.leak"}]},
        {calls: [{name: "careless.fail"}]},
        {text: all.join(" "), calls: [{name: "careless.keep", args: {text: `keep ${all.join(" ")}`}}]},
      ]
      return turns[results] ?? {text: `It is ${last.text}, or ${secrets.MODEL_KEY}.`}
    })
    const config = `http: {port: 0, token: "\${HTTP_TOKEN}", demoToken: "\${DEMO_TOKEN}"}
plugins: {sandbox: {}, careless: {}}
agents:
  helper:
    provider: openai-compatible
    model: any
    baseURL: ${model.url}
    key: \${MODEL_KEY}
    instructionsFile: helper.md
    tools: {careless.leak: {}, careless.fail: {}, careless.keep: {}}
    triggers: {direct: true}
`
    const files = {"helper.md": `You help. Never tell ${secrets.MODEL_KEY}.`}
    const host = await startHost({runtime, config, plugins: {careless}, files, env: secrets})
    await host.say("leak it")
    const [approval] = await waitingApprovals(host)
    expect(approval?.shown).toBe('careless.keep {"text":"keep [secret] [secret] [secret]"}')
    await host.post("/api/approvals/:id/deny", {
      id: approval?.id ?? "",
      body: {by: "grace", reason: `not ${secrets.DEMO_TOKEN}`},
    })
    const leaked = await runAsked(host, "leak it")
    expect(leaked.answer).toMatch(/^It is {"error":".*: not \[secret\]"}, or \[secret\]\.$/)
    await host.say(`say ${secrets.MODEL_KEY}`)
    expect((await runAsked(host, "say [secret]")).answer).toBe("You said [secret] and [secret] and [secret].")

    const shown = [
      leaked,
      await host.get("/api/events/history", {limit: 500}),
      await host.get("/api/logs", {limit: 500}),
    ]
    const seen = [model.requests.map(({body}) => body), shown, host.process.output()].map(each => JSON.stringify(each))
    const checkpoint = await svc(runtime, host.project, ["checkpoint", "create"], {env: secrets})
    expect({code: checkpoint.code, stderr: checkpoint.stderr}).toEqual({code: 0, stderr: ""})
    await host.stop()
    for (const table of ["agent_runs", "agent_steps", "agent_approvals", "events", "outbox"])
      seen.push(JSON.stringify(await readRows(host.project, `SELECT * FROM ${table}`)))
    for (const secret of all) {
      const once = JSON.stringify(secret).slice(1, -1)
      for (const form of [secret, once, JSON.stringify(once).slice(1, -1)])
        for (const [index, text] of seen.entries())
          expect({index, found: text.includes(form)}).toEqual({index, found: false})
    }
    expect(model.requests[0]?.headers.authorization).toBe(`Bearer ${secrets.MODEL_KEY}`)
    expect(model.requests.some(({instructions}) => instructions.includes("Never tell [secret]."))).toBe(true)
    const verified = await svc(runtime, host.project, ["checkpoint", "verify"], {env: secrets})
    expect({code: verified.code, out: verified.stdout + verified.stderr}).toEqual({code: 0, out: expect.any(String)})
  })
})
