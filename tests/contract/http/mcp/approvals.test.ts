import {describe, expect, test} from "vitest"
import {endOf, waitingApprovals} from "../../../support/agents/host.ts"
import {startScriptedModel} from "../../../support/agents/scripted-model.ts"
import {bunOr, fullAndDemo, notesIn, pluginWith, startHost} from "../../../support/host/host.ts"
import {callTool} from "../../../support/http/mcp.ts"

const vault = pluginWith(`
    note("loaded")
    plugin.tool("spend", {description: "Spends", parameters: Type.Object({}), effect: "external", approval: true}, () => {
      note("spent")
      return "spent"
    })`)

const config = (url: string) => `http: {port: 0, token: "\${HTTP_TOKEN}", demoToken: "\${DEMO_TOKEN}", mcp: [localhost]}
plugins: {vault: {}}
agents:
  helper:
    provider: openai-compatible
    model: any
    baseURL: ${url}
    instructions: You help.
    tools: {vault.spend: {}}
    permission: user
    triggers: {command: spend}
`

describe.each(bunOr("node24"))("approvals over /mcp on $name", runtime => {
  test("a client's decision counts once, and survives a kill", async () => {
    const model = await startScriptedModel(({results}) =>
      results === 0 ? {calls: [{name: "vault.spend", args: {}}]} : {text: "done"},
    )
    const options = {runtime, env: fullAndDemo.env, own: true, args: ["--no-watch"]}
    const first = await startHost({...options, config: config(model.url), plugins: {vault}})
    const ask = () => first.post("/api/agents/:name/run", {name: "helper", body: {input: "Spend.", permission: "user"}})
    await ask()
    const [denied] = await waitingApprovals(first)
    const decision = {id: denied?.id, by: "a client", reason: "no"}
    expect(await callTool(first, "approval_deny", decision, {token: fullAndDemo.env.DEMO_TOKEN})).toEqual({
      code: "forbidden",
    })
    expect(await callTool(first, "approval_deny", decision)).toMatchObject({state: "denied", decidedBy: "a client"})
    expect((await endOf(first, denied?.runId ?? "")).answer).toBe("done")
    await ask()
    const [approved] = await waitingApprovals(first)
    expect(await callTool(first, "approval_list", {state: "waiting"})).toMatchObject({items: [{id: approved?.id}]})
    expect(await callTool(first, "approval_approve", {id: approved?.id})).toMatchObject({state: "approved"})
    await first.stop("SIGKILL")
    const second = await startHost({...options, project: first.project})
    const end = await endOf(second, approved?.runId ?? "")
    expect(end.approvals.map(({state}) => state)).toEqual(["approved"])
    expect(await callTool(second, "approval_deny", {id: approved?.id})).toEqual({code: "approval_state"})
    expect(notesIn(second.project).filter(text => text === "spent").length).toBeLessThanOrEqual(1)
  })
})
