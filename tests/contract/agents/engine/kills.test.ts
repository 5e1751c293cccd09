import {join} from "node:path"
import {describe, expect, test} from "vitest"
import type {Agents} from "../../../../server/agents/agents.ts"
import type {Database} from "../../../../server/database/database.ts"
import type {Workroom} from "../../../../server/workroom/workroom.ts"
import type {AgentSettings} from "../../../../shared/config/agents.ts"
import {isProblem} from "../../../../shared/problems.ts"
import {agentsOn, askedBy, HastyClock} from "../../../support/agents/engine.ts"
import {startScriptedModel} from "../../../support/agents/scripted-model.ts"
import {memoryFolder, open, until} from "../../../support/database/databases.ts"
import {type Death, MortalDatabase} from "../../../support/database/mortal-database.ts"
import {add} from "../../../support/workroom/requests.ts"
import {busyScript, expectDone, publishTools, toolSettings, usage, World} from "./deeds.ts"

const deaths: readonly Death[] = ["before", "after"]

interface Life {
  readonly agents: Agents
  readonly workroom: Workroom
}

/** The question to the agent and its settings. Everything the agent does contains the word. */
interface Scenario {
  readonly name: string
  readonly settings: Partial<AgentSettings>
  /** Whether another model is ready when the provider is overloaded. */
  readonly hasFallback?: boolean
  readonly ask: (life: Life, word: string) => Promise<unknown>
  /** Further checks beside `expectDone`. */
  readonly check?: (life: Life, database: Database, word: string, cut: number) => Promise<void>
}

/** A run in chat without approvals writes nothing that these do not; tests/e2e/agents/kills.test.ts kills its process. */
const scenarios: readonly Scenario[] = [
  {
    name: "in chat with approvals",
    settings: {tools: {...toolSettings, "weather.mail": {approval: true}}},
    ask: ({agents}, word) => agents.queue({...askedBy(word, word), request: word}),
    check: async (_, database, word) => {
      const asked = "SELECT seq FROM outbox WHERE content LIKE '%Approve%' AND content LIKE '%' || ? || '/%'"
      expect(await database.read(asked, [word])).toHaveLength(2)
      const approved =
        "SELECT seq FROM agent_approvals WHERE state = 'approved' AND run = (SELECT seq FROM agent_runs WHERE user = ?)"
      expect(await database.read(approved, [word])).toHaveLength(2)
    },
  },
  {
    name: "in chat with a fallback",
    settings: {tools: toolSettings},
    hasFallback: true,
    ask: ({agents}, word) => agents.queue({...askedBy(word, word), request: word}),
  },
  {
    name: "of a work item",
    settings: {
      tools: toolSettings,
      permission: "trusted",
      triggers: {mention: false, direct: false, permission: "user", pairing: false, events: [], items: true},
    },
    ask: ({workroom}, word) => workroom.run(add(word, {assignee: "agent:helper"})),
    check: async ({workroom}, _, word, cut) => {
      const item = workroom.items.find(({title}) => title === word)
      expect(item).toMatchObject({state: "review", assignee: "agent:helper"})
      const texts = item?.comments.map(({text}) => text) ?? []
      expect(texts.filter(text => text === `${word} is done`)).toHaveLength(1)
      expect(texts).toHaveLength(1 + cut)
    },
  },
]

/** Builds everything that the agents of a scenario work with, across their lives. */
const settle = async ({settings, hasFallback = false, ...scenario}: Scenario) => {
  const database = await open({dialect: "sqlite", file: join(memoryFolder(), "data.sqlite")})
  const world = new World()
  const {snapshot} = await publishTools(database, world)
  const model = await startScriptedModel(busyScript())
  const live = (own: Database) => {
    const models = hasFallback ? [{provider: "openai-compatible", model: "second", baseURL: model.url}] : []
    const of = {...settings, baseURL: model.url, models}
    return agentsOn({database: own, settings: of, snapshot: () => snapshot, clock: new HastyClock()})
  }
  return {...scenario, hasFallback, database, world, model, live}
}

type Place = Awaited<ReturnType<typeof settle>>

/** Approves every open question. Returns true when no run is open. */
const approveAll = async ({database}: Place, {agents, workroom}: Life, own: Database): Promise<boolean> => {
  for (const {id} of await database.read("SELECT id FROM agent_approvals WHERE state = 'waiting'"))
    await agents.decide(String(id), {approve: true, by: "ada"}).catch(error => {
      // She presses the button again.
      if (!isProblem(error, "database_outcome_unknown")) throw error
    })
  const open = "SELECT 1 FROM agent_runs WHERE state NOT IN ('succeeded', 'failed', 'cancelled')"
  const isOver = agents.isIdle && (await own.read(open)).length === 0
  return isOver && workroom.items.every(({state}) => state === "review")
}

/** Runs a life until every open run has ended, or until it dies. */
const endAll = (place: Place, life: Life, own: Database) =>
  until("the runs to end", () => approveAll(place, life, own), 30_000)

/** Asks in a life that dies at the given write. Resolves to false when the life ended before that write. */
const dieAt = async (place: Place, word: string, write: number, death: Death): Promise<boolean> => {
  const mortal = new MortalDatabase(place.database)
  const life = await place.live(mortal)
  await life.agents.start()
  await place.ask(life, word)
  mortal.doom(write, death)
  await Promise.race([endAll(place, life, mortal), mortal.died])
  const isDead = mortal.isDead
  await mortal.die()
  return isDead
}

const conclude = async (place: Place, word: string): Promise<number> => {
  const {database, world, live} = place
  const life = await live(database)
  await life.agents.start()
  await endAll(place, life, database)
  await life.agents.stop()
  const [run] = await database.read("SELECT run_id FROM agent_runs WHERE input LIKE '%' || ? || '%'", [word])
  const cut = await expectDone(database, world, String(run?.run_id), word)
  await place.check?.(life, database, word, cut)
  await life.workroom.close()
  return cut
}

/** The tokens that the model used; it was overloaded once for each word. */
const usedOf = ({model}: Place): number => {
  const words = model.requests.filter(({results}) => results === 0).map(({last}) => last.text)
  return (usage.input + usage.output) * (model.requests.length - new Set(words).size)
}

const spentOf = async ({database}: Place): Promise<number> => {
  const [row] = await database.read("SELECT tokens FROM agent_spending WHERE subject = ''")
  return Number(row?.tokens)
}

describe.each(scenarios)("a run $name,", scenario => {
  test("killed at any write, does each thing once or knows that it was cut off", async () => {
    const place = await settle(scenario)
    let kills = 0
    let unknown = 0
    for (const death of deaths) {
      for (let write = 0, isDead = true; isDead; write++) {
        const word = `word-${death}-${write}`
        isDead = await dieAt(place, word, write, death)
        unknown += await conclude(place, word)
        if (isDead) kills++
      }
    }
    const calls = place.model.requests.length
    process.stdout.write(`${scenario.name}: killed at ${kills} writes, ${unknown} unknown, ${calls} model calls\n`)
    expect(kills).toBeGreaterThan(30)
    expect(new Set(place.model.requests.map(({model}) => model)).size).toBe(place.hasFallback ? 2 : 1)
    expect(unknown).toBe(4)
    expect(await spentOf(place)).toBeGreaterThan(usedOf(place))
  }, 180_000)

  test("does each thing once when it hears of no write's outcome", async () => {
    const places = await Promise.all(Array.from({length: 4}, () => settle(scenario)))
    let lapses = 0
    let next = 0
    let isPast = false
    const work = async (place: Place) => {
      while (!isPast) {
        const turn = next++
        const word = `word-lapse-${turn}`
        const mortal = new MortalDatabase(place.database)
        const life = await place.live(mortal)
        await life.agents.start()
        await place.ask(life, word)
        mortal.forget(turn, deaths[turn % 2] ?? "after")
        await endAll(place, life, mortal)
        if (mortal.hasLapsed) lapses++
        else isPast = true
        await life.agents.stop()
        await life.workroom.close()
        expect(await conclude(place, word)).toBe(0)
      }
    }
    await Promise.all(places.map(work))
    expect(lapses).toBeGreaterThan(15)
    for (const place of places) expect(await spentOf(place)).toBeGreaterThanOrEqual(usedOf(place))
  }, 180_000)
})
