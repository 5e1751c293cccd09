import {describe, expect, onTestFinished, test} from "vitest"
import {endOf, runOf, runsOf, waitingApprovals} from "../../support/agents/host.ts"
import {helperAt, type ScriptedModel, startScriptedModel} from "../../support/agents/scripted-model.ts"
import {makeCheckpoint, restore} from "../../support/checkpoint/checkpoints.ts"
import {bunOr, launchHost, makeProject, pluginWith, startHost, type TestHost} from "../../support/host/host.ts"
import {until, untilPrinted} from "../../support/host/process.ts"
import {fillDisk, mountDisk, needMounts} from "../../support/machine/disk.ts"
import {botTexts} from "../../support/messages/messages.ts"

const toolbox = pluginWith(`
    const tool = (name, approval) =>
      plugin.tool(name, {description: name, parameters: Type.Object({}), effect: "transaction", approval}, async call => {
        await call.send({endpoint: "sandbox", channel: "news"}, name)
        return name
      })
    tool("note", false)
    tool("announce", true)`)

const configOf = (model: Pick<ScriptedModel, "url">, more = "") => `http: {port: 0}
permissions: [{endpoint: sandbox, permission: trusted}]
plugins: {sandbox: {}, toolbox: {}}
agents:
${helperAt(model.url)}    tools: {toolbox.note: {}, toolbox.announce: {}}
    triggers: {direct: true}
    limits: {tokens: 1000000}
${more}`

/** Starts a model that calls the tool named in the question, then answers. While asleep, it never responds. */
const startModel = async () => {
  let isAsleep = false
  const model = await startScriptedModel(({results, messages}) => {
    if (isAsleep) return {hang: "before"}
    const word = messages.findLast(({role}) => role === "user")?.text ?? ""
    return results === 0 ? {calls: [{name: `toolbox.${word}`}]} : {text: `${word} is done`}
  })
  return {
    ...model,
    sleep: (is: boolean) => {
      isAsleep = is
    },
    asked: (count: number) => until(`${count} model calls`, () => model.requests.length >= count),
  }
}

/** Asks as a user of the sandbox, in a separate channel. Resolves to the id of the run. */
const ask = async (host: TestHost, word: string, channel: string): Promise<string> => {
  const known = (await runsOf(host)).length
  await host.plugin("/api/plugins/sandbox/messages", {text: word, channel, user: channel})
  return (await until("a run", async () => (await runsOf(host))[known])).runId
}

describe.each(bunOr("node24"))("agent runs on $name", runtime => {
  test("survive a graceful stop during a model call, and continue in the next Host", async () => {
    const model = await startModel()
    model.sleep(true)
    const host = await startHost({runtime, config: configOf(model), plugins: {toolbox}})
    const runId = await ask(host, "note", "a")
    await model.asked(1)
    // A second Host for the project does not start and continues no run.
    const {process: second} = launchHost({runtime, project: host.project})
    expect((await second.finished).code).not.toBe(0)
    const before = performance.now()
    expect(await host.stop()).toMatchObject({code: 0})
    expect(performance.now() - before).toBeLessThan(10_000)
    await until("the connection to be closed", () => model.closed() === 1)
    expect(model.requests).toHaveLength(1)

    model.sleep(false)
    const next = await startHost({runtime, project: host.project})
    onTestFinished(async () => void (await next.stop()))
    expect(await endOf(next, runId)).toMatchObject({state: "succeeded", answer: "note is done", attempt: 2})
    expect(await botTexts(next, "news")).toEqual(["note"])
  })

  test("are held after a restore, and continue or end when an operator decides", async () => {
    const model = await startModel()
    let host = await startHost({own: true, runtime, config: configOf(model), plugins: {toolbox}})
    const {project} = host
    const [kept, dropped] = [await ask(host, "announce", "a"), await ask(host, "announce", "b")]
    const asked = await waitingApprovals(host, 2)
    model.sleep(true)
    const open = await ask(host, "note", "c")
    await model.asked(3)
    const {id} = await makeCheckpoint(project, runtime)
    await host.stop("SIGKILL")
    expect(await restore(project, id, runtime)).toMatchObject({held: {agents: 3}})

    model.sleep(false)
    const before = model.requests.length
    host = await startHost({own: true, runtime, project})
    onTestFinished(async () => void (await host.stop()))
    for (const runId of [kept, dropped, open])
      expect(await runOf(host, runId)).toMatchObject({state: "held", reason: "restored"})
    const [first] = asked.filter(({runId}) => runId === kept)
    const approve = () => host.post("/api/approvals/:id/approve", {id: first?.id ?? "", body: {by: "ada"}})
    await expect(approve()).rejects.toThrow(/approval_state/)
    expect(model.requests).toHaveLength(before)

    await host.post("/api/runs/:id/discard", {id: dropped})
    expect(await runOf(host, dropped)).toMatchObject({state: "cancelled", reason: "discarded"})
    await host.post("/api/runs/:id/release", {id: open})
    expect(await endOf(host, open)).toMatchObject({state: "succeeded", answer: "note is done"})
    await host.post("/api/runs/:id/release", {id: kept})
    await until("the approval to be open again", async () => (await runOf(host, kept)).state === "waiting")
    await approve()
    expect(await endOf(host, kept)).toMatchObject({state: "succeeded", answer: "announce is done"})
    await until("the news", async () => (await botTexts(host, "news")).length === 2)
    expect([...(await botTexts(host, "news"))].sort()).toEqual(["announce", "note"])
  })
})

test.for(bunOr("node24"))("a full disk amid an agent's run only delays it, on $name", async (runtime, context) => {
  needMounts(context)
  const {promise: isFull, resolve: goOn} = Promise.withResolvers<void>()
  const model = await startScriptedModel(async ({results}) => {
    if (results > 0) return {text: "note is done"}
    await isFull
    // Larger than the free space inside the database file.
    return {text: "thinking ".repeat(50_000), calls: [{name: "toolbox.note"}]}
  })
  const more = "ingress: {minimumFree: 0}\ndatabase: {dialect: sqlite, filename: data/bot.sqlite}\n"
  const project = makeProject({config: configOf(model, more), plugins: {toolbox}})
  const disk = mountDisk(project.path("data"), "4m")
  const host = await startHost({runtime, project})
  const runId = await ask(host, "note", "a")
  await until("the model to be asked", () => model.requests.length === 1)
  fillDisk(project.path("data"))
  goOn()
  await untilPrinted(host.process, new RegExp(`run ${runId}: .*\\bretrying`))
  expect(await runOf(host, runId)).toMatchObject({state: "running"})
  disk.resize("64m")
  expect(await endOf(host, runId)).toMatchObject({state: "succeeded", answer: "note is done"})
  expect(await botTexts(host, "news")).toEqual(["note"])
  expect(model.requests).toHaveLength(2)
  expect((await host.stop()).code).toBe(0)
})
