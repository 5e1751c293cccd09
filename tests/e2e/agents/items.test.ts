import {describe, expect, test} from "vitest"
import type {ItemCommand} from "../../../shared/api/item-rules.ts"
import type {Item} from "../../../shared/api/workroom.ts"
import {endOf, runsOf, waitingApprovals} from "../../support/agents/host.ts"
import {startScriptedModel} from "../../support/agents/scripted-model.ts"
import {bunOr, pluginWith, startHost, type TestHost, until} from "../../support/host/host.ts"

const vault = pluginWith(`
    plugin.tool("spend", {description: "Spends", parameters: Type.Object({}), effect: "external", approval: true}, () => void note("spent"))`)

const config = (url: string, store: string) => `http: {port: 0}
workroom: {store: ${store}}
plugins: {sandbox: {}, vault: {}}
agents:
${["helper", "second"]
  .map(
    name => `  ${name}:
    provider: openai-compatible
    model: ${name}
    baseURL: ${url}
    instructions: You help.
    permission: user
    tools: {vault.spend: {}}
    triggers: {items: true}
`,
  )
  .join("")}`

const cases = bunOr("node22").flatMap(runtime =>
  ["database", "file"].map(store => ({runtime, store, on: runtime.name})),
)

describe.each(cases)("work items of agents in the $store store, on $on", ({runtime, store}) => {
  test("reach review, get blocked, come back, and pass to another agent", async () => {
    const model = await startScriptedModel(({model: who, messages, results}) => {
      const [{text} = {text: ""}] = messages
      if (text.includes("hard") && !text.includes("the key is")) {
        return results === 0 ? {calls: [{name: "item.block", args: {reason: "no key"}}]} : {text: "I wait for the key."}
      }
      if (text.includes("slow") && who === "helper") return {text: "x", hang: "text"}
      if (text.includes("dear") && who === "helper" && results === 0) return {calls: [{name: "vault.spend"}]}
      return {text: `${who} did it${text.includes("better") ? " better" : ""}.`}
    })
    const host = await startHost({runtime, config: config(model.url, store), plugins: {vault}})
    const add = (title: string, assignee = "agent:helper") =>
      host.post("/api/workroom/items", {body: {title, assignee, actor: "user:ada"}})
    const item = (id: number) => host.get("/api/workroom/items/:id", {id})
    const give = async (id: number, command: ItemCommand, more: object = {}) => {
      const body = {actor: "user:ada", expectedRevision: (await item(id)).revision, ...more}
      return host.post(`/api/workroom/items/:id/${command}`, {id, body})
    }
    const itemIn = (id: number, state: string) =>
      until(`item ${id} to be in ${state}`, async () => {
        const found = await item(id)
        return found.state === state && found
      })
    const said = ({comments}: Item) => comments.map(({actor, text}) => `${actor}: ${text}`)

    const {id: easy} = await add("an easy one")
    expect(await itemIn(easy, "review")).toMatchObject({assignee: "agent:helper"})
    expect(said(await item(easy))).toEqual(["agent:helper: helper did it."])
    await give(easy, "comment", {text: "do it better"})
    await give(easy, "claim", {assignee: "agent:helper"})
    await until("the second run", async () => said(await item(easy)).includes("agent:helper: helper did it better."))
    await itemIn(easy, "review")
    await give(easy, "accept")
    await untilNoneOpen(host)
    expect((await runsOf(host)).filter(run => run.item === easy).map(({state}) => state)).toEqual([
      "succeeded",
      "succeeded",
    ])

    const {id: hard} = await add("a hard one")
    expect((await itemIn(hard, "blocked")).blocker?.reason).toBe("no key")
    await until("the agent's comment", async () => said(await item(hard)).length === 1)
    await give(hard, "comment", {text: "the key is under the mat"})
    await give(hard, "unblock")
    await itemIn(hard, "review")
    expect(said(await item(hard))).toEqual([
      "agent:helper: I wait for the key.",
      "user:ada: the key is under the mat",
      "agent:helper: helper did it.",
    ])

    const {id: slow} = await add("a slow one")
    const {runId} = await until("its run to be running", async () =>
      (await runsOf(host)).find(run => run.item === slow && run.state === "running"),
    )
    await itemIn(slow, "active")
    await give(slow, "claim", {assignee: "agent:second"})
    expect(await endOf(host, runId)).toMatchObject({state: "cancelled", error: expect.stringMatching(/\bwork item\b/)})
    expect(said(await itemIn(slow, "review"))).toEqual(["agent:second: second did it."])
    expect(model.closed()).toBe(1)

    const {id: dear} = await add("a dear one")
    const [approval] = await waitingApprovals(host)
    await give(dear, "claim", {assignee: "agent:second"})
    expect((await endOf(host, approval?.runId ?? "")).state).toBe("cancelled")
    expect(said(await itemIn(dear, "review")).at(-1)).toBe("agent:second: second did it.")
    await waitingApprovals(host, 0)

    const {id: lost} = await add("a slow one that is cancelled")
    await until("its run to be running", async () =>
      (await runsOf(host)).some(run => run.item === lost && run.state === "running"),
    )
    await itemIn(lost, "active")
    await give(lost, "cancel", {reason: "never mind"})
    await untilNoneOpen(host)
    expect((await item(lost)).state).toBe("cancelled")
    const {items: records} = await host.get("/api/workroom/journal", {limit: 200})
    expect(records.filter(({command}) => command.is === "accept").map(({actor}) => actor)).toEqual(["user:ada"])
    expect(host.project.read("notes.log")).toBe("")
  })
})

const untilNoneOpen = (host: TestHost) =>
  until("all runs to end", async () => (await runsOf(host)).every(({endedAt}) => endedAt !== null))
