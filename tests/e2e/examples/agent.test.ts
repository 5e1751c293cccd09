import {readdirSync, readFileSync} from "node:fs"
import {describe, expect, test} from "vitest"
import type {AgentRunView} from "../../../shared/api/agents/agents.ts"
import {runOf, runsOf} from "../../support/agents/host.ts"
import type {ModelQuestion} from "../../support/agents/question.ts"
import {type ScriptedAnswer, startScriptedModel} from "../../support/agents/scripted-model.ts"
import {makeCheckpoint, restore} from "../../support/checkpoint/checkpoints.ts"
import {expectProblem, makeProject, startHost, type TestHost, until} from "../../support/host/host.ts"
import {bunOr, root, type TestRuntime} from "../../support/host/runtimes.ts"

const folder = `${root}examples/agent`
const pages = readdirSync(`${folder}/docs`).map(name => `docs/${name}`)
const files = Object.fromEntries(
  ["agent.md", "svc.config.yml", "lib/sections.ts", "plugins/docs.ts", ...pages].map(path => [
    path,
    readFileSync(`${folder}/${path}`, "utf8"),
  ]),
)

/** For a member's question without an answer in the pages: the agent searches, opens a work item, and says so. */
const saws = (results: number): ScriptedAnswer => {
  if (results === 0) return {calls: [{name: "docs.search", args: {words: "sharpen saws"}}]}
  if (results === 1) return {calls: [{name: "workroom.add", args: {title: "Do we sharpen saws?"}}]}
  return {text: "I opened work item 1."}
}

/** For an emergency: the agent sends a message to the team. */
const fire = (results: number): ScriptedAnswer =>
  results === 0
    ? {calls: [{name: "send", args: {endpoint: "sandbox", channel: "team", text: "The box is on fire."}}]}
    : {text: "The team knows."}

const meet = async (runtime: TestRuntime, answer: (results: number) => ScriptedAnswer) => {
  const script = ({results}: ModelQuestion) => answer(results)
  const model = await startScriptedModel(script)
  const project = makeProject({config: files["svc.config.yml"] ?? "", files})
  const start = () =>
    startHost({own: true, runtime, project, env: {HTTP_PORT: "0", LLM_URL: model.url, LLM_MODEL: "scripted"}})
  return {model, project, start, script}
}

const newest = async (host: TestHost): Promise<AgentRunView | undefined> => (await runsOf(host)).at(-1)

const untilRun = (host: TestHost, state: AgentRunView["state"]): Promise<AgentRunView> =>
  until(`the run to be ${state}`, async () => {
    const run = await newest(host)
    if (run?.state === "failed") throw new Error(`the run has failed: ${run.reason} ${run.error}`)
    return run?.state === state ? run : undefined
  })

/** The bot's messages to a channel, oldest first, without the edits of streamed answers. */
const sentTo = async (host: TestHost, channel: string): Promise<readonly string[]> => {
  const {items} = await host.get("/api/outbox", {limit: 100})
  return items
    .filter(sent => sent.kind === "message" && sent.channel === channel)
    .map(({text}) => text)
    .reverse()
}

describe.each(bunOr("node24"))("the example agent on $name", runtime => {
  test("opens one work item and answers once, though the Host is killed in each model call", async () => {
    const {model, start, script} = await meet(runtime, saws)
    let host = await start()
    const killed = new Set<number>()
    model.follow(async question => {
      if (killed.has(question.results)) return script(question)
      killed.add(question.results)
      // The Host continues its runs before it serves requests.
      await until("this Host to start", () => host.process.child.signalCode === null)
      host.process.child.kill("SIGKILL")
      return {hang: "before"}
    })
    const said = {text: "Do you sharpen saws?", user: "eve", channel: "eve"}
    await host.plugin("/api/plugins/sandbox/messages", said).catch(() => {})
    for (let kills = 0; kills < 3; kills++) {
      expect((await host.process.finished).signal).toBe("SIGKILL")
      host = await start()
    }
    expect(await untilRun(host, "succeeded")).toMatchObject({
      agent: "helper",
      trigger: "direct",
      steps: expect.any(Number),
    })
    const {items} = await host.get("/api/workroom/items")
    expect(items.map(({title, createdBy}) => [title, createdBy])).toEqual([["Do we sharpen saws?", "agent:helper"]])
    expect(await sentTo(host, "eve")).toHaveLength(1)
    const {trail} = await runOf(host, (await newest(host))?.runId ?? "")
    expect(trail.map(({name, state, begun}) => [name, state, begun])).toEqual([
      ["scripted", "done", 2],
      ["docs.search", "done", 1],
      ["scripted", "done", 2],
      ["workroom.add", "done", 1],
      ["scripted", "done", 2],
    ])
    expect((await host.stop()).code).toBe(0)
  })

  test("sends nothing until it is approved, across a kill and a restore, and then sends once", async () => {
    const {project, start} = await meet(runtime, fire)
    const first = await start()
    await first.say("The grey box is on fire!", {user: "eve", channel: "eve"})
    await untilRun(first, "waiting")
    await first.stop("SIGKILL")
    const second = await start()
    expect(await untilRun(second, "waiting")).toMatchObject({waitsFor: "approval"})
    const {id} = await makeCheckpoint(project, runtime)
    await second.stop()
    await restore(project, id, runtime)

    const host = await start()
    await untilRun(host, "held")
    const {items: held} = await host.get("/api/approvals")
    expect(held).toMatchObject([{state: "held", tool: "send", permission: "trusted"}])
    const asked = held[0]?.id ?? ""
    await expectProblem(await host.fetch(`/api/approvals/${asked}/approve`, {method: "POST"}), 409, "approval_state")
    await host.post("/api/runs/:id/release", {id: "held"})
    await untilRun(host, "waiting")
    expect(await sentTo(host, "team")).toEqual([])
    await host.post("/api/approvals/:id/approve", {id: asked, body: {by: "ada"}})
    await untilRun(host, "succeeded")
    expect(await sentTo(host, "team")).toEqual(["The box is on fire."])
    expect((await host.stop()).code).toBe(0)
  })
})
