import {describe, expect, test} from "vitest"
import {runOf, runsOf, waitingApprovals} from "../../support/agents/host.ts"
import {helperAt, startScriptedModel} from "../../support/agents/scripted-model.ts"
import {printedJson, runCommand} from "../../support/host/command-line.ts"
import {bunOr, pluginWith, startHost, type TestHost, until} from "../../support/host/host.ts"
import {messageIn, sendTo, tell} from "../../support/messages/messages.ts"
import {door} from "../../support/plugins/door-plugin.ts"

const config = "http: {port: 0}\nplugins: {sandbox: {}, door: {}}\n"
const [minute, hour] = [60_000, 3_600_000]

const say = (host: TestHost, text: string, age: number) => host.plugin("/api/plugins/door/say", {text, age})
const stateOf = async (host: TestHost, seq: number) => (await host.get("/api/inbox/:seq", {seq})).state

describe.each(bunOr("node24"))("a backlog on $name", runtime => {
  test("of events is counted, held and discarded by its age and its filters", async () => {
    const host = await startHost({runtime, config, plugins: {door}})
    const cut = (words: string) => printedJson(host.project, `inbox ${words} --state pending`)
    await say(host, "/open 1", 20 * hour)
    for (const [n, age] of [20 * hour, 15 * minute, 0, -hour].entries()) await say(host, `/open ${n + 2}`, age)
    await until("the first handler", async () => (await stateOf(host, 1)) === "running")

    expect(await cut("discard --older 10m --dry-run")).toMatchObject({
      count: 2,
      sample: [
        {id: "3", who: "ann", text: "/open 3"},
        {id: "2", who: "ann", text: "/open 2"},
      ],
    })
    expect(await runCommand(host.project, "inbox list --older 1h --json")).toMatchObject({code: 0})
    for (const other of ["--endpoint sandbox", "--command close", "--user bob", "--channel d", "--plugin sandbox"])
      expect(await cut(`discard --older 0s ${other} --dry-run`), other).toMatchObject({count: 0, sample: []})
    const all = "--endpoint door --command open --user ann --channel c --plugin door"
    expect(await cut(`discard --older 1h ${all}`)).toMatchObject({count: 1})
    expect(await cut(`hold --older 10m ${all}`)).toMatchObject({count: 1})
    // Without the state, a search discards nothing that waits.
    expect(await printedJson(host.project, "inbox discard --endpoint door --command open --older 1d")).toMatchObject({
      count: 0,
    })
    host.project.write("go", "")
    await until("the others", () => host.project.read("notes.log").trim().split("\n").length === 3)
    expect(host.project.read("notes.log")).toBe("open 1\nopen 4\nopen 5\n")
    expect([await stateOf(host, 2), await stateOf(host, 3)]).toEqual(["discarded", "held"])
    const {items} = await host.get("/api/events/history")
    expect(items.filter(({type}) => type === "message.held").map(({data}) => data)).toMatchObject([{sn: 3}])
    await runCommand(host.project, "inbox release 3")
    await until("the released one", async () => (await stateOf(host, 3)) === "handled")

    for (const wrong of [
      "hold",
      "discard 1 --older 1h",
      "discard --held --older 1h",
      "discard 1 --dry-run",
      "hold --older 1x",
    ])
      expect(await runCommand(host.project, `inbox ${wrong}`), wrong).toMatchObject({code: 1, stdout: ""})
  })

  test("of messages is held and discarded, and a held one is sent after its release", async () => {
    const host = await startHost({runtime, config, plugins: {door}})
    const [one, two] = [await sendTo(host, "door", "a", "one"), await sendTo(host, "door", "b", "two")]
    expect(await printedJson(host.project, "outbox hold --state queued --channel a")).toMatchObject({count: 1})
    expect(await printedJson(host.project, "outbox hold --state queued --older 1h")).toMatchObject({count: 0})
    expect(await messageIn(host, one, "held")).toMatchObject({reason: "operator"})
    expect((await runCommand(host.project, `outbox release ${one}`)).stdout).toBe("release: 1 message\n")
    await messageIn(host, one, "queued")
    expect((await runCommand(host.project, "outbox discard --state queued --older 0s")).stdout).toBe(
      "discard: 2 messages\n",
    )
    for (const id of [one, two]) await messageIn(host, id, "discarded")
  })

  test("of timers is held and cancelled", async () => {
    const host = await startHost({runtime, config, plugins: {door}})
    const {id} = await host.post("/api/timers", {body: {plugin: "door", name: "tick", when: {in: "1h"}}})
    const timer = (words: string) => runCommand(host.project, `timer ${words}`)
    expect((await timer("hold --older 0s")).stdout).toBe("hold: 0 timers\n")
    expect((await timer("hold --plugin door")).stdout).toBe("hold: 1 timer\n")
    expect(await host.get("/api/timers/:id", {id})).toMatchObject({state: "held", reason: "operator"})
    expect((await timer("cancel --plugin door")).stdout).toBe("cancel: 0 timers\n")
    await timer(`release ${id}`)
    expect((await timer("cancel --plugin door")).stdout).toBe("cancel: 1 timer\n")
    expect(await host.get("/api/timers")).toMatchObject({items: []})
  })

  test("of agents' runs is held and discarded, and a released run continues", async () => {
    const model = await startScriptedModel(({results}) =>
      results === 0 ? {calls: [{name: "toolbox.announce"}]} : {text: "done"},
    )
    const toolbox = pluginWith(
      `plugin.tool("announce", {description: "a", parameters: Type.Object({}), effect: "transaction", approval: true}, () => "a")`,
    )
    const host = await startHost({
      runtime,
      config: `http: {port: 0}
permissions: [{endpoint: sandbox, permission: trusted}]
plugins: {sandbox: {}, toolbox: {}}
agents:
${helperAt(model.url)}    tools: {toolbox.announce: {}}
    triggers: {direct: true}
`,
      plugins: {toolbox},
    })
    const ask = async (count: number) => {
      await tell(host, {text: "announce", channel: `c${count}`, user: "ann"})
      await waitingApprovals(host, count)
    }
    await ask(1)
    await ask(2)
    const [one = "", two = ""] = (await runsOf(host)).map(({runId}) => runId)
    const agent = (words: string) => runCommand(host.project, `agent ${words}`)
    expect((await agent("hold --older 1h")).stdout).toBe("hold: 0 runs\n")
    expect((await agent(`hold ${one}`)).stdout).toBe("hold: 1 run\n")
    expect(await runOf(host, one)).toMatchObject({state: "held", reason: "operator", approvals: [{state: "held"}]})
    expect((await agent("discard --agent helper")).stdout).toBe("discard: 1 run\n")
    expect(await runOf(host, two)).toMatchObject({
      state: "cancelled",
      reason: "discarded",
      approvals: [{state: "cancelled"}],
    })
    expect((await agent("release --held")).stdout).toBe("release: 1 run\n")
    await until("the run", async () => (await runOf(host, one)).state === "waiting")
    const [approval] = await waitingApprovals(host)
    await host.post("/api/approvals/:id/approve", {id: approval?.id ?? ""})
    await until("its end", async () => (await runOf(host, one)).state === "succeeded")
  })
})
