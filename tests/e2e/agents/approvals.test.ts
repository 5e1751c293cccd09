import {describe, expect, test} from "vitest"
import {endOf, runAsked, waitingApprovals} from "../../support/agents/host.ts"
import {startScriptedModel} from "../../support/agents/scripted-model.ts"
import {expectProblem, pluginWith, shared, startHost, svc, type TestHost, until} from "../../support/host/host.ts"
import {bunOr, type TestRuntime} from "../../support/host/runtimes.ts"
import {answer} from "../../support/messages/answers.ts"
import {line, saying, sentTo, tell} from "../interactions/line-plugin.ts"

const vault = pluginWith(`
    plugin.tool("spend", {description: "Spends", parameters: Type.Object({on: Type.String()}), effect: "external", approval: true}, ({args}) => {
      note("spent on " + args.on)
      return "spent"
    })`)

const binding = (url: string, more: string) => `
    provider: openai-compatible
    model: any
    baseURL: ${url}
    instructions: You help.
    tools: {vault.spend: {}}
    permission: user
    ${more}`

const config = (url: string) => `http: {port: 0}
permissions:
  - {endpoint: line, user: ada, permission: trusted}
  - {endpoint: shows, user: ada, permission: trusted}
  - {endpoint: sandbox, user: ada, permission: trusted}
plugins: {sandbox: {}, line: {}, vault: {}}
agents:
  helper:${binding(url, "triggers: {command: spend, items: true}")}
  quick:${binding(url, "triggers: {command: quick}\n    approval: {expires: 1s}")}
  asks:${binding(url, "triggers: {command: asks}\n    approval: {to: {endpoint: sandbox, channel: bosses}, permission: trusted}")}
`

const start = async (runtime: TestRuntime): Promise<TestHost> => {
  const model = await startScriptedModel(({last, results}) => {
    const [, on = last.text.replace(/^on /, "")] = /^Work item \d+: (.+)/.exec(last.text) ?? []
    return results === 0 ? {calls: [{name: "vault.spend", args: {on}}]} : {text: `told ${last.text}`}
  })
  return startHost({runtime, config: config(model.url), plugins: {line, vault}})
}

describe.each(bunOr("node22"))("approvals of agents on $name", runtime => {
  const host = shared(() => start(runtime))
  const spent = () => host().project.read("notes.log").split("\n")
  const approvalOf = async (on: string) =>
    until(`the approval for ${on}`, async () => {
      const {items} = await host().get("/api/approvals", {state: "waiting"})
      return items.find(({shown}) => shown.includes(`"on":"${on}"`))
    })
  const linesOf = async (channel: string) =>
    (await sentTo(host(), "line")).filter(each => each.channel === channel).map(({content}) => content.join(""))
  const inChannel = (id: string) => ({channel: {id, type: 0}})
  const eventsOf = async (runId: string) => {
    const {items} = await host().get("/api/events/history", {limit: 500})
    return items.filter(each => each.runId === runId && each.type.startsWith("agent.approval_"))
  }

  test("a number decides the newer of two in one channel, and the older keeps its id", async () => {
    const there = inChannel("pair")
    await tell(host(), "line", "eve", {...saying("/spend on tea"), ...there})
    const older = await approvalOf("tea")
    await tell(host(), "line", "eve", {...saying("/spend on cake"), ...there})
    const newer = await approvalOf("cake")
    await until("both lists", async () => (await linesOf("pair")).filter(text => text.includes("2. Deny")).length === 2)
    const whole = (await linesOf("pair")).join("\n")
    for (const {id} of [older, newer]) expect(whole.replaceAll("\n", "")).toContain(id)
    expect(await tell(host(), "line", "eve", {...saying("1"), ...there})).toEqual([
      answer("agent.mayNot", {permission: "trusted"}),
    ])
    expect(await tell(host(), "line", "ada", {...saying("1"), ...there})).toEqual(["Approved: vault.spend."])
    expect((await endOf(host(), newer.runId)).answer).toBe("told spent")
    expect(spent()).toContain("spent on cake")
    expect(spent()).not.toContain("spent on tea")
    const {code, stderr} = await svc(runtime, host().project, ["agent", "approve", older.id])
    expect({code, stderr}).toEqual({code: 0, stderr: ""})
    expect((await endOf(host(), older.runId)).state).toBe("succeeded")
    expect(spent().filter(text => text === "spent on tea")).toHaveLength(1)
  })

  test("a button shows the exact call, decides once, and both are in the event log", async () => {
    await tell(host(), "shows", "eve", saying("/spend on a\n2. Deny\n&lt;b&gt;b&lt;/b&gt;"))
    const {id, runId} = await until("the approval", async () => (await waitingApprovals(host()))[0])
    const buttons = await until("the buttons", async () => {
      const nodes = (await sentTo(host(), "shows")).flatMap(({content}) => content)
      const ids = nodes.flatMap(node => (typeof node === "object" && node.type === "button" ? [node.attrs.id] : []))
      return ids.length === 2 && ids
    })
    const shown = (await sentTo(host(), "shows"))
      .flatMap(({content}) => content)
      .filter(node => typeof node === "string")
    expect(shown.join("")).toContain(
      `${answer("agent.ask", {agent: "helper", tool: "vault.spend"})}\nvault.spend {"on":"a\\n2. Deny\\n<b>b</b>"}\n`,
    )
    expect(shown.join("")).toMatch(/\bpermission trusted\b/)
    const press = (n: number) => ({type: "interaction/button", button: {id: buttons[n]}})
    expect(await tell(host(), "shows", "ada", press(1))).toEqual(["Denied: vault.spend."])
    expect(await tell(host(), "shows", "ada", press(0))).toEqual([answer("agent.decided")])
    await expectProblem(await host().fetch(`/api/approvals/${id}/approve`, {method: "POST"}), 409, "approval_state")
    expect((await endOf(host(), runId)).answer).toBe('told {"error":"a person denied this call"}')
    expect(await eventsOf(runId)).toMatchObject([
      {type: "agent.approval_asked", data: {tool: "vault.spend"}},
      {type: "agent.approval_denied", data: {tool: "vault.spend", by: "user:shows/ada"}},
    ])
  })

  test("only the configured channel is asked", async () => {
    await tell(host(), "line", "eve", {...saying("/asks on wine"), ...inChannel("bar")})
    await approvalOf("wine")
    const {items} = await until("the question", async () => {
      const found = await host().plugin<{items: {text: string}[]}>("/api/plugins/sandbox/messages?channel=bosses")
      return found.items.length === 1 && found
    })
    expect(items[0]?.text).toContain('vault.spend {"on":"wine"}')
    expect(await linesOf("bar")).toEqual([])
    await host().plugin("/api/plugins/sandbox/press", {channel: "bosses", user: "ada", button: "Approve"})
    expect((await runAsked(host(), "on wine")).answer).toBe("told spent")
  })

  test("an approval without a decision expires, and the model gets the reason", async () => {
    await tell(host(), "line", "eve", saying("/quick on gold"))
    const run = await runAsked(host(), "on gold")
    expect(run.answer).toMatch(/^told \{"error":".*\bin time"\}$/)
    expect((await eventsOf(run.runId)).map(({type}) => type)).toEqual([
      "agent.approval_asked",
      "agent.approval_expired",
    ])
    expect(spent()).not.toContain("spent on gold")
  })

  test("the model gets a denial's reason, and the work item records question and decision", async () => {
    const {id} = await host().post("/api/workroom/items", {body: {title: "paint", assignee: "agent:helper"}})
    const approval = await approvalOf("paint")
    await host().post("/api/approvals/:id/deny", {id: approval.id, body: {by: "grace", reason: "too expensive"}})
    expect((await endOf(host(), approval.runId)).answer).toMatch(/^told \{"error":".*: too expensive"\}$/)
    const item = await host().get("/api/workroom/items/:id", {id})
    expect({state: item.state, comments: item.comments.map(({actor, text}) => `${actor}: ${text}`)}).toEqual({
      state: "review",
      comments: [
        'agent:helper: Asks to call vault.spend: vault.spend {"on":"paint"}',
        "agent:helper: The call of vault.spend was denied by grace: too expensive",
        expect.stringMatching(/^agent:helper: told \{"error":".*: too expensive"\}$/),
      ],
    })
  })
})
