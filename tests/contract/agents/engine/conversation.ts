import {onTestFinished} from "vitest"
import type {Agents} from "../../../../server/agents/agents.ts"
import type {Database} from "../../../../server/database/database.ts"
import type {AgentSettings} from "../../../../shared/config/agents.ts"
import type {Plugin} from "../../../../shared/sdk/sdk.ts"
import {agentsOn, askedBy, type EngineParts, HastyClock} from "../../../support/agents/engine.ts"
import {publishWeather} from "../../../support/agents/plugin-tools.ts"
import {type Script, type ScriptedModel, startScriptedModel} from "../../../support/agents/scripted-model.ts"
import {memoryFolder, open, until} from "../../../support/database/databases.ts"

/** A finished run, with the messages that its conversation received. */
export interface Ended {
  readonly state: string
  readonly reason: string | null
  readonly answer: string | null
  readonly error: string | null
  readonly tokens: number
  readonly steps: number
  /** Tool calls as `<state> <reason>`. */
  readonly calls: readonly string[]
  /** The result of each call, as the model received it. */
  readonly results: readonly string[]
  /** Text of the messages in `#team`. */
  readonly told: readonly string[]
}

export interface Conversation {
  readonly database: Database
  readonly agents: Agents
  readonly model: ScriptedModel
  readonly clock: HastyClock
  ask(input: string, user?: string): Promise<Ended>
  endOf(runId: string): Promise<Ended>
  /** Replaces these agents with a new life over the same database. */
  again(): Promise<Agents>
}

export interface ConversationParts extends Partial<EngineParts> {
  readonly script: Script
  readonly settings?: Partial<AgentSettings>
  /** Declares the tools of the plugin `weather`; by default it declares none. */
  readonly setup?: (plugin: Plugin) => void
  readonly tables?: readonly string[]
}

/** Starts the agents of one test, with a scripted model and short pauses. */
export const converse = async ({script, settings = {}, setup = () => {}, tables = [], ...parts}: ConversationParts) => {
  const database = parts.database ?? (await open({dialect: "sqlite", file: `${memoryFolder()}/data.sqlite`}))
  await database.write([{sql: "SELECT 1"}, ...tables.map(sql => ({sql}))])
  const {snapshot} = await publishWeather(database, setup)
  const model = await startScriptedModel(script)
  const clock = new HastyClock()
  const tools = Object.fromEntries([...snapshot.tools.keys()].map(name => [name, {}]))
  const live = async () => {
    const {agents} = await agentsOn({
      snapshot: () => snapshot,
      clock,
      ...parts,
      database,
      settings: {tools, baseURL: model.url, ...settings},
    })
    await agents.start()
    return agents
  }
  let agents = await live()
  onTestFinished(() => agents.stop())
  const endOf = async (runId: string): Promise<Ended> => {
    const run = await until("the run to end", async () => {
      const [row] = await database.read("SELECT * FROM agent_runs WHERE run_id = ?", [runId])
      return row?.ended_at === null ? undefined : row
    })
    const steps = await database.read("SELECT * FROM agent_steps WHERE run = ? AND kind = 'tool' ORDER BY n", [
      Number(run.seq),
    ])
    const sent = await database.read("SELECT content FROM outbox WHERE channel = '#team' ORDER BY seq")
    return {
      ...{state: String(run.state), reason: textOf(run.reason), answer: textOf(run.answer), error: textOf(run.error)},
      ...{tokens: Number(run.tokens), steps: Number(run.steps)},
      calls: steps.map(({state, reason}) => [state, ...(reason === null ? [] : [reason])].join(" ")),
      results: steps.map(({output}) => String(output)),
      told: sent.map(({content}) => String(content)),
    }
  }
  return {
    ...{database, model, clock, endOf},
    get agents() {
      return agents
    },
    ask: async (input: string, user = "ada") => endOf(await agents.queue(askedBy(user, input))),
    again: async () => {
      agents = await live()
      return agents
    },
  } satisfies Conversation
}

const textOf = (value: unknown): string | null => (value === null || value === undefined ? null : String(value))
