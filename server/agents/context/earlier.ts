import {toJson} from "../../../shared/json.ts"
import type {Database, Row} from "../../database/database.ts"
import type {ModelMessage} from "../providers/model.ts"
import {estimateMessages} from "../providers/tokens.ts"
import {messagesOf} from "../runs/conversation.ts"
import {type AgentRun, selectEarlier, selectPinned} from "../runs/run-rows.ts"
import {type Said, saidOf, selectSaid} from "../runs/said.ts"
import {type ModelStep, type Step, selectStepsOf, stepOf} from "../runs/step-rows.ts"
import {cut} from "../runs/tool-result.ts"

/** How old earlier questions may be, in milliseconds, and how many runs are read. */
const earlierWithin = 24 * 3_600_000
const mostRead = 50

/** The share of the run's tokens that they may take with each call: 24 calls still fit. At most this many tokens. */
const share = 1 / 32
const mostTokens = 16_000

/** The characters of an earlier tool result. */
const longestResult = 2000

/** An earlier run of the conversation, as the model reads it. */
export interface Earlier {
  readonly seq: number
  readonly at: number
  readonly messages: readonly ModelMessage[]
}

/** Selects the runs before this one, or those that an earlier call of it included. */
const select = (run: AgentRun, pinned: readonly number[] | undefined) => {
  if (pinned !== undefined) return {sql: selectPinned, args: [toJson(pinned)]}
  const {endpoint, channel, place, agent, seq, createdAt} = run
  const {user, covers} = place
  const [since, before, after] =
    covers === undefined ? [0, seq, createdAt - earlierWithin] : [covers[0], covers[1] + 1, 0]
  const args = [endpoint, user?.id, agent, channel, before, after, user?.account, mostRead, since]
  return {sql: selectEarlier, args: args.map(value => value ?? null)}
}

/**
 * Resolves to the newest earlier runs of the user with the agent in the channel, oldest first: as many as the budget has
 * room for, with their tool calls where these fit. Leaves out runs that had memories which are forgotten since.
 */
export const readEarlier = async (
  database: Pick<Database, "read">,
  run: AgentRun,
  budget: {readonly tokens: number; readonly hasTools: boolean},
  pinned: readonly number[] | undefined,
): Promise<readonly Earlier[]> => {
  const {endpoint, channel, place, item} = run
  if (endpoint === undefined || channel === undefined || place.user === undefined || item !== undefined) return []
  if (pinned?.length === 0) return []
  const {sql, args} = select(run, pinned)
  const runs = await database.read(sql, args)
  if (runs.length === 0) return []
  const rows = await database.read(selectStepsOf, [toJson(runs.map(({seq}) => seq)), longestResult + 1])
  const steps = Map.groupBy(rows, row => Number(row.run))
  const told = await database.read(selectSaid, [toJson(runs.map(({seq}) => seq))])
  const saidIn = (run: number) => told.filter(row => row.run === run).map(saidOf)
  const stepsOf = (row: Row) => (steps.get(Number(row.seq)) ?? []).map(stepOf)
  const known = await readKnown(
    database,
    runs.flatMap(row => memoriesOf(stepsOf(row))),
  )
  const whole = runs.filter(row => memoriesOf(stepsOf(row)).every(id => known.has(id)))
  let left = Math.min(mostTokens, run.isSummary ? mostTokens : Math.floor(budget.tokens * share))
  const kept: Earlier[] = []
  for (const row of whole) {
    const said = saidIn(Number(row.seq))
    const forms = [...(budget.hasTools ? [withTools(row, stepsOf(row), said)] : []), plain(row, said)]
    const messages = forms.find(form => form !== undefined && estimateMessages(form) <= left)
    if (messages === undefined) break
    left -= estimateMessages(messages)
    kept.push({seq: Number(row.seq), at: Number(row.created_at), messages})
  }
  return kept.reverse()
}

const memoriesOf = (steps: readonly Step[]): readonly number[] =>
  steps.find((step): step is ModelStep => step.kind === "model")?.sent?.memories ?? []

const readKnown = async (database: Pick<Database, "read">, ids: readonly number[]): Promise<ReadonlySet<number>> => {
  if (ids.length === 0) return new Set()
  const sql = "SELECT seq FROM agent_memories WHERE seq IN (SELECT value FROM json_each(?))"
  return new Set((await database.read(sql, [toJson(ids)])).map(({seq}) => Number(seq)))
}

const plain = ({input, answer}: Row, said: readonly Said[]): readonly ModelMessage[] => [
  {role: "user", text: [String(input), ...said.map(({text}) => text)].join("\n\n")},
  {role: "assistant", text: String(answer), calls: []},
]

/** Returns the question with all steps; undefined if a call lacks its result, which providers reject. */
const withTools = (row: Row, steps: readonly Step[], said: readonly Said[]): readonly ModelMessage[] | undefined => {
  const isWhole = steps.every(step => (step.kind === "model" ? step.reply : step.result) !== undefined)
  const last = steps.at(-1)
  if (!isWhole || last?.kind !== "model" || last.reply?.calls.length !== 0) return undefined
  const asked = steps.flatMap(step => (step.kind === "model" ? (step.reply?.calls ?? []) : []))
  if (asked.length !== steps.filter(({kind}) => kind === "tool").length) return undefined
  return messagesOf(String(row.input), steps, said).map(shortened)
}

/** Only the current run sends back a provider's details. */
const shortened = (message: ModelMessage): ModelMessage => {
  if (message.role === "tool") return {...message, result: cut(message.result, longestResult)}
  return message.role === "assistant" ? {role: "assistant", text: message.text, calls: message.calls} : message
}
