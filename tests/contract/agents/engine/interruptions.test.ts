import {expect, test} from "vitest"
import type {Database, Statement} from "../../../../server/database/database.ts"
import {type Plugin, Type} from "../../../../shared/sdk/sdk.ts"
import {askedBy} from "../../../support/agents/engine.ts"
import {publishWeather} from "../../../support/agents/plugin-tools.ts"
import type {ModelQuestion} from "../../../support/agents/question.ts"
import type {Script, ScriptedAnswer} from "../../../support/agents/scripted-model.ts"
import {memoryFolder, open, until} from "../../../support/database/databases.ts"
import {MortalDatabase} from "../../../support/database/mortal-database.ts"
import {converse} from "./conversation.ts"

const hour = 3_600_000

const act = (plugin: Plugin): void =>
  plugin.tool("act", {description: "Acts", parameters: Type.Object({}), effect: "none"}, () => "milk")

const once = ({results, last}: ModelQuestion): ScriptedAnswer =>
  results === 0 ? {calls: [{name: "weather.act"}]} : {text: `told: ${last.text}`}

const waitingApproval = (database: Pick<Database, "read">): Promise<string> =>
  until("the question", async () => {
    const [row] = await database.read("SELECT id FROM agent_approvals WHERE state = 'waiting'")
    return row && String(row.id)
  })

const approved = {tools: {"weather.act": {approval: true}}}

test("a run takes no further step while ingress is paused, and continues after a resume", async () => {
  let isPaused = false
  const {agents, model, database, endOf} = await converse({
    script: question => {
      // Ingress is paused while the model answers.
      isPaused = question.index === 0
      return once(question)
    },
    setup: act,
    isPaused: () => isPaused,
  })
  const runId = await agents.queue(askedBy("ada", "go"))
  const row = () => database.read("SELECT state, waits_for FROM agent_runs WHERE run_id = ?", [runId])
  await until("the run to wait", async () => (await row())[0]?.waits_for === "ingress")
  await agents.idle()
  await expect(agents.queue(askedBy("ada", "more"))).rejects.toMatchObject({code: "ingress_paused"})
  expect(await database.read("SELECT state FROM agent_steps WHERE kind = 'tool'")).toEqual([{state: "planned"}])
  isPaused = false
  agents.ingressChanged()
  expect(await endOf(runId)).toMatchObject({state: "succeeded", answer: "told: milk"})
  expect(model.requests).toHaveLength(2)
})

test("a decision made while ingress is paused counts, and the run continues after a resume", async () => {
  let isPaused = false
  const {agents, database, endOf} = await converse({
    script: once,
    setup: act,
    settings: approved,
    isPaused: () => isPaused,
  })
  const runId = await agents.queue(askedBy("ada", "go"))
  const approval = await waitingApproval(database)
  isPaused = true
  await agents.decide(approval, {approve: true, by: "grace"})
  await agents.idle()
  expect(await database.read("SELECT state FROM agent_runs")).toEqual([{state: "queued"}])
  isPaused = false
  agents.ingressChanged()
  expect(await endOf(runId)).toMatchObject({state: "succeeded", answer: "told: milk"})
})

test("setting the clock back delays no retry, in this life or the next", async () => {
  const script: Script = ({index}) => (index < 2 ? {status: 503, headers: {"retry-after": "20"}} : {text: "At last."})
  const {agents, clock, database, model, endOf, again} = await converse({script})
  const runId = await agents.queue(askedBy("ada", "go"))
  clock.set(-hour)
  await until("the second attempt", () => model.requests.length >= 2)
  await agents.stop()
  const [row] = await database.read("SELECT state, waits_for FROM agent_runs")
  expect(row?.state).not.toBe("running")
  clock.set(-hour)
  await again()
  expect(await endOf(runId)).toMatchObject({state: "succeeded", answer: "At last."})
})

test.each([
  {settings: {}, minutes: 72 * 60, state: "succeeded"},
  {settings: {resumeWithin: "30m"}, minutes: 29, state: "succeeded"},
  {settings: {resumeWithin: "30m"}, minutes: 31, state: "held"},
])("a run that was cut off for $minutes minutes with $settings is then $state", async ({settings, minutes, state}) => {
  let isUp = false
  const script: Script = () => (isUp ? {text: "At last."} : {status: 503, headers: {"retry-after": "20"}})
  const {agents, clock, database, model, endOf, again} = await converse({script, settings})
  const runId = await agents.queue(askedBy("ada", "go"))
  const row = async () => (await database.read("SELECT state, reason, waits_for FROM agent_runs"))[0]
  await until("the first call of the model", () => model.requests.length > 0)
  await agents.stop()
  isUp = true
  clock.set(minutes * 60_000)
  const next = await again()
  if (state !== "held") return expect(await endOf(runId)).toMatchObject({state})
  await next.idle()
  expect(await row()).toEqual({state, reason: "cut_off", waits_for: null})
  expect(await next.act("release", {runId})).toBe(1)
  expect(await endOf(runId)).toMatchObject({state: "succeeded", answer: "At last."})
})

test("an approval stays open for its full time by a clock that was set back", async () => {
  const {agents, clock, database, endOf} = await converse({script: once, setup: act, settings: approved})
  const runId = await agents.queue(askedBy("ada", "go"))
  const approval = await waitingApproval(database)
  clock.set(-hour)
  await agents.decide(approval, {approve: true, by: "grace"})
  expect(await endOf(runId)).toMatchObject({state: "succeeded", calls: ["done"]})
})

test("an approval that nobody decides expires and can no longer be given", async () => {
  const {agents, clock, database, endOf} = await converse({script: once, setup: act, settings: approved})
  const runId = await agents.queue(askedBy("ada", "go"))
  const approval = await waitingApproval(database)
  clock.set(25 * hour)
  expect(await endOf(runId)).toMatchObject({state: "succeeded", calls: ["refused approval_expired"]})
  await expect(agents.decide(approval, {approve: true, by: "grace"})).rejects.toMatchObject({code: "approval_state"})
})

/** Runs an action once, just before a batch with this value is stored. */
class MeddledDatabase extends MortalDatabase {
  #meddle: {readonly value: string | number; readonly act: () => Promise<unknown>} | undefined

  before(value: string | number, act: () => Promise<unknown>): void {
    this.#meddle = {value, act}
  }

  override async write(batch: readonly Statement[]) {
    const meddle = this.#meddle
    if (meddle !== undefined && batch.some(({args = []}) => Array.isArray(args) && args.includes(meddle.value))) {
      this.#meddle = undefined
      await meddle.act()
    }
    return super.write(batch)
  }
}

test.each(["none", "transaction", "idempotent", "external"] as const)(
  "a call with the effect %s is made by the new plugin after a reload while its row was stored",
  async effect => {
    const meddled = new MeddledDatabase(await open({dialect: "sqlite", file: `${memoryFolder()}/data.sqlite`}))
    const publish = (name: string) =>
      publishWeather(meddled, plugin => {
        plugin.tool("act", {description: "Acts", parameters: Type.Object({}), effect}, () => name)
      })
    const [older, newer] = [await publish("the old one"), await publish("the new one")]
    let {snapshot} = older
    const settings = {tools: {"weather.act": {}}}
    const {ask} = await converse({script: once, database: meddled, settings, snapshot: () => snapshot})
    meddled.before(effect, async () => {
      snapshot = newer.snapshot
      await older.instance.dispose(0)
    })
    expect(await ask("go")).toMatchObject({calls: ["done"], answer: "told: the new one"})
  },
)

test("resuming ingress while a run starts to wait for it blocks nothing", async () => {
  let isPaused = false
  const meddled = new MeddledDatabase(await open({dialect: "sqlite", file: `${memoryFolder()}/data.sqlite`}))
  const {agents, endOf} = await converse({
    script: question => {
      isPaused = question.index === 0
      return once(question)
    },
    setup: act,
    database: meddled,
    isPaused: () => isPaused,
  })
  meddled.before("ingress", async () => {
    isPaused = false
    agents.ingressChanged()
    await meddled.read("SELECT 1")
  })
  expect(await endOf(await agents.queue(askedBy("ada", "go")))).toMatchObject({answer: "told: milk"})
})

test("a decision made while a run starts to wait for it counts at once", async () => {
  const meddled = new MeddledDatabase(await open({dialect: "sqlite", file: `${memoryFolder()}/data.sqlite`}))
  const {agents, database, endOf} = await converse({script: once, setup: act, settings: approved, database: meddled})
  const runId = await agents.queue(askedBy("ada", "go"))
  const approval = await waitingApproval(database)
  await agents.idle()
  // Something requeues the run: it finds the question open and waits a second time.
  await database.write([{sql: "UPDATE agent_runs SET state = 'queued', waits_for = NULL, due_at = NULL"}])
  const [row] = await database.read("SELECT expires_at FROM agent_approvals")
  meddled.before(Number(row?.expires_at), () => agents.decide(approval, {approve: true, by: "grace"}))
  agents.generationChanged()
  expect(await endOf(runId)).toMatchObject({answer: "told: milk", calls: ["done"]})
})

/** What SQLite and JSON may not return as they got it, and a text that hides a secret's place. */
const odd = ["\ud800 half", "nul \0 byte", "", "é\u0301🧵", "x".repeat(70_000), '{"a": [1, "\\ud83d"]}']

test("the model reads the same, whether one attempt makes all steps or each has an attempt by itself", async () => {
  const asked = async (isCutShort: boolean) => {
    let restarting: Promise<unknown> = Promise.resolve()
    const talk = await converse({
      script: ({results}) =>
        results < 2 * odd.length
          ? {
              text: `step ${results}`,
              calls: [{name: "weather.read", args: {at: results}}, {name: "weather.lost"}],
              usage: {input: 10, output: 3},
            }
          : {text: "all read"},
      setup: plugin =>
        plugin.tool(
          "read",
          {description: "Reads", parameters: Type.Object({at: Type.Integer()}), effect: "idempotent"},
          ({args}) => {
            if (isCutShort)
              restarting = restarting.then(async () => {
                await talk.agents.stop()
                await talk.again()
              })
            return odd[args.at / 2]
          },
        ),
    })
    const {state, steps, tokens, calls} = await talk.ask("go")
    await restarting
    const [row] = await talk.database.read("SELECT attempt, tokens_in, tokens_out, failures FROM agent_runs")
    const {attempt, ...figures} = row ?? {}
    const requests = talk.model.requests.map(({messages}) => messages)
    return {attempt, asked: {state, steps, tokens, calls, requests, figures}}
  }
  const whole = await asked(false)
  const pieces = await asked(true)
  expect([whole.attempt, pieces.attempt]).toEqual([1, 1 + odd.length])
  expect(pieces.asked).toEqual(whole.asked)
  expect(whole.asked.requests).toHaveLength(odd.length + 1)
})
