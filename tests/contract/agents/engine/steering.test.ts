import {setTimeout as sleep} from "node:timers/promises"
import {expect, test} from "vitest"
import type {Agents} from "../../../../server/agents/agents.ts"
import type {Database} from "../../../../server/database/database.ts"
import type {AgentContext} from "../../../../shared/api/agents/context.ts"
import type {AgentSettings} from "../../../../shared/config/agents.ts"
import {Problem} from "../../../../shared/problems.ts"
import {type Plugin, Type} from "../../../../shared/sdk/sdk.ts"
import {usualLimits} from "../../../support/agents/bindings.ts"
import {agentsOn, askedBy, HastyClock} from "../../../support/agents/engine.ts"
import {publishWeather} from "../../../support/agents/plugin-tools.ts"
import {startScriptedModel} from "../../../support/agents/scripted-model.ts"
import {memoryFolder, open, until} from "../../../support/database/databases.ts"
import {type Death, MortalDatabase} from "../../../support/database/mortal-database.ts"
import {converse} from "./conversation.ts"

const unlimited: Partial<AgentSettings> = {limits: {...usualLimits, user: {}}}

const waitTool = (plugin: Plugin, called: () => Promise<unknown>): void =>
  plugin.tool("wait", {description: "Waits", parameters: Type.Object({}), effect: "none"}, async () => {
    await called()
    return "waited"
  })

/** Says something to `helper` in the conversation of a user, as a message with this key. */
const sayTo = (agents: Agents, user: string, text: string): Promise<string> =>
  agents.queue({...askedBy(user, text), request: `${user}/${text}`})

test("the next model call of a run has what its user said meanwhile, and the message counts as a run", async () => {
  const runs: string[] = []
  let during: AgentContext | undefined
  const talk = await converse({
    settings: unlimited,
    script: ({messages}) => (messages.length === 1 ? {calls: [{name: "weather.wait"}]} : {text: "tea it is"}),
    setup: plugin =>
      waitTool(plugin, async () => {
        runs.push(await sayTo(talk.agents, "ada", "tea"), await sayTo(talk.agents, "ada", "tea"))
        during ??= await talk.agents.context(first)
        runs.push(await sayTo(talk.agents, "grace", "mine"))
      }),
  })
  const first = await sayTo(talk.agents, "ada", "go")
  expect(await talk.endOf(first)).toMatchObject({state: "succeeded", answer: "tea it is"})
  expect(runs.slice(0, 2)).toEqual([first, first])
  expect(runs[2]).not.toBe(first)
  const [, second] = talk.model.requests.filter(({messages}) => messages[0]?.text === "go")
  expect(second?.messages.map(({role, text}) => [role, text])).toEqual([
    ["user", "go"],
    ["assistant", ""],
    ["tool", "waited"],
    ["user", "tea"],
  ])
  const questionsIn = (context: AgentContext | undefined) =>
    context?.calls.map(({exact, parts}) => [exact, parts.filter(({part}) => part === "question").length])
  expect(questionsIn(during)).toEqual([[true, 1]])
  expect(questionsIn(await talk.agents.context(first))).toEqual([
    [true, 1],
    [true, 2],
  ])
  const [spent] = await talk.database.read("SELECT runs FROM agent_spending WHERE subject LIKE 'user % ada'")
  expect(spent?.runs).toBe(2)
})

test("what a run was not told is the question of the next, also when the run is cancelled or fails", async () => {
  const ends: ((agents: Agents, runId: string) => Promise<unknown>)[] = [
    async () => {},
    (agents, runId) => agents.cancel(runId, "ada"),
  ]
  for (const end of ends) {
    let first = ""
    const talk = await converse({
      settings: unlimited,
      script: async ({messages}) => {
        if (messages.length > 1 || messages[0]?.text !== "go") return {text: "both"}
        await until("the run's id", async () => first !== "")
        await sayTo(talk.agents, "ada", "tea")
        await sayTo(talk.agents, "ada", "milk")
        await end(talk.agents, first)
        return {text: "gone"}
      },
    })
    first = await sayTo(talk.agents, "ada", "go")
    await talk.endOf(first)
    const next = await until("the next run", async () => {
      const rows = await talk.database.read("SELECT run_id, input FROM agent_runs WHERE run_id <> ?", [first])
      return rows[0]
    })
    expect(next.input).toBe("tea\n\nmilk")
    expect(await talk.endOf(String(next.run_id))).toMatchObject({state: "succeeded", answer: "both"})
    // A handler that runs again finds its message.
    expect(await sayTo(talk.agents, "ada", "milk")).toBe(next.run_id)
  }
})

test("a message starts a run while another waits for a person, and a run hears only its own user", async () => {
  const talk = await converse({
    settings: {...unlimited, tools: {"weather.wait": {approval: true}}},
    script: ({results, last}) =>
      last.text === "go" && results === 0 ? {calls: [{name: "weather.wait"}]} : {text: "ok"},
    setup: plugin => waitTool(plugin, async () => {}),
  })
  const first = await sayTo(talk.agents, "ada", "go")
  await until("the question", async () => (await talk.database.read("SELECT 1 FROM agent_approvals")).length > 0)
  const second = await sayTo(talk.agents, "ada", "tea")
  expect(second).not.toBe(first)
  expect(await talk.endOf(second)).toMatchObject({state: "succeeded"})
})

/** Every text of a user: in a question, or told to a run that has succeeded. */
const textsOf = async (database: Database, user: string): Promise<readonly string[]> => {
  const runs = await database.read("SELECT seq, input, state FROM agent_runs WHERE user = ?", [user])
  expect(runs.map(({state}) => state)).toEqual(runs.map(() => "succeeded"))
  const told = await database.read(
    "SELECT text FROM agent_said s JOIN agent_steps m ON m.run = s.run AND m.n = s.told WHERE m.state = 'done' AND s.request LIKE ? || '/%'",
    [user],
  )
  return [...runs.flatMap(({input}) => String(input).split("\n\n")), ...told.map(({text}) => String(text))].sort()
}

test("killed at any write, a run or the next has each message once", async () => {
  const database = await open({dialect: "sqlite", file: `${memoryFolder()}/data.sqlite`})
  let life: Agents | undefined
  let user = ""
  const say = async (text: string) => {
    if (life !== undefined)
      await sayTo(life, user, text).catch(error => {
        if (!(error instanceof Problem)) throw error
      })
  }
  const {snapshot} = await publishWeather(database, plugin => waitTool(plugin, () => say("tea")))
  const model = await startScriptedModel(async ({results}) => {
    if (results === 0) return {calls: [{name: "weather.wait"}]}
    await Promise.race([say("milk"), sleep(500)])
    return {text: "done"}
  })
  const live = async (own: Database) => {
    const settings = {...unlimited, baseURL: model.url, tools: {"weather.wait": {}}}
    const {agents} = await agentsOn({database: own, settings, snapshot: () => snapshot, clock: new HastyClock()})
    await agents.start()
    return agents
  }
  const endAll = (own: Database) =>
    until("the runs to end", async () => {
      const open = "SELECT 1 FROM agent_runs WHERE ended_at IS NULL"
      return life?.isIdle === true && (await own.read(open)).length === 0
    })
  let kills = 0
  for (const death of ["before", "after"] satisfies Death[])
    for (let write = 0, isDead = true; isDead; write++) {
      user = `${death}${write}`
      const mortal = new MortalDatabase(database)
      life = await live(mortal)
      await say("go")
      mortal.doom(write, death)
      await Promise.race([endAll(mortal), mortal.died])
      isDead = mortal.isDead
      if (isDead) kills++
      await mortal.die()
      life = await live(database)
      // The handlers run again.
      for (const text of ["go", "tea", "milk"]) await say(text)
      await endAll(database)
      await life.stop()
      expect([user, ...(await textsOf(database, user))]).toEqual([user, "go", "milk", "tea"])
    }
  process.stdout.write(`killed at ${kills} writes\n`)
  expect(kills).toBeGreaterThan(8)
}, 180_000)
