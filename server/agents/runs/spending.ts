import type {AgentReason} from "../../../shared/agents/states.ts"
import type {AgentSettings, Budget} from "../../../shared/config/agents.ts"
import {toJson} from "../../../shared/json.ts"
import type {Reader, Row, Statement} from "../../database/database.ts"
import {priceOf} from "../providers/tokens.ts"
import type {AgentRun} from "./run-rows.ts"

/** The amount that a call may use, or has used. Money is in millionths of the prices' unit. */
export interface Amount {
  readonly tokens: number
  readonly money: number
}

/** Days are UTC days. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

type Subject = "user" | "channel" | "day"

/** Returns the subjects, besides the run itself, for which a run counts. */
export const subjectsOf = ({endpoint, channel, place}: Pick<AgentRun, "endpoint" | "channel" | "place">) => {
  const user = place.user?.id
  return {
    day: "",
    ...(endpoint === undefined || user === undefined ? {} : {user: `user ${endpoint} ${user}`}),
    ...(endpoint === undefined || channel === undefined ? {} : {channel: `channel ${endpoint} ${channel}`}),
  } satisfies Partial<Record<Subject, string>>
}

type Counted = Readonly<Record<keyof Budget, number>>

/** Counts for all subjects of a run. Negative amounts return what was reserved and not used. */
export const spending = (
  run: Pick<AgentRun, "agent" | "endpoint" | "channel" | "place">,
  day: string,
  {runs = 0, tokens = 0, money = 0}: Partial<Counted>,
): Statement => ({
  sql: `INSERT INTO agent_spending (agent, day, subject, runs, tokens, money) SELECT ?1, ?2, value, ?4, ?5, ?6 FROM json_each(?3) WHERE true
    ON CONFLICT (agent, day, subject) DO UPDATE SET runs = runs + ?4, tokens = tokens + ?5, money = money + ?6`,
  args: [run.agent, day, toJson(Object.values(subjectsOf(run))), runs, tokens, money],
})

const millionths = 1_000_000

/** Returns the limit of a day that the next amount would exceed; undefined if none. */
export const dayLimitOf = async (
  database: Reader,
  run: Pick<AgentRun, "agent" | "endpoint" | "channel" | "place">,
  {limits}: Pick<AgentSettings, "limits">,
  day: string,
  next: Partial<Counted>,
): Promise<AgentReason | undefined> => {
  const subjects = Object.entries(subjectsOf(run)) as [Subject, string][]
  const limited = subjects.filter(([of]) => Object.keys(limits[of]).length > 0)
  if (limited.length === 0) return undefined
  const counted = await database.read(
    "SELECT subject, runs, tokens, money FROM agent_spending WHERE agent = ? AND day = ? AND subject IN (SELECT value FROM json_each(?))",
    [run.agent, day, toJson(limited.map(([, subject]) => subject))],
  )
  const passed = limited.find(([of, name]) => isPassed(limits[of], next, rowOf(counted, name)))
  return passed && `limit_${passed[0]}`
}

const rowOf = (rows: readonly Row[], name: string) => rows.find(({subject}) => subject === name)

const isPassed = (budget: Budget, next: Partial<Counted>, counted: Row = {}): boolean =>
  (["runs", "tokens", "money"] as const).some(what => {
    const limit = budget[what] ?? Number.POSITIVE_INFINITY
    return Number(counted[what] ?? 0) + (next[what] ?? 0) > (what === "money" ? limit * millionths : limit)
  })

/** Returns the run's own limit that forbids its next step; undefined if none. */
export const runLimitOf = (
  {steps, active}: Pick<AgentRun, "steps" | "active">,
  {limits}: Pick<AgentSettings, "limits">,
): AgentReason | undefined => {
  if (steps >= limits.steps) return "limit_steps"
  return active >= limits.seconds * 1000 ? "limit_seconds" : undefined
}

/** The fewest output tokens with which a model is called. */
const leastOutput = 16

/** Returns what a model call may use: the remaining output, and its price; the limit's code if too little is left. */
export const reserve = (
  {tokens, money}: Pick<AgentRun, "tokens" | "money">,
  {limits, prices}: Pick<AgentSettings, "limits"> & {readonly prices?: AgentSettings["prices"] | undefined},
  input: number,
): (Amount & {readonly output: number}) | AgentReason => {
  const output = Math.min(limits.output, limits.tokens - tokens - input)
  if (output < leastOutput) return "limit_tokens"
  const cost = priceOf({input, output}, prices)
  if (limits.money !== undefined && money + cost > limits.money * millionths) return "limit_money"
  return {tokens: input + output, money: cost, output}
}

/** Returns the limits of a day for the log, such as "user 30 runs, day 2000000 tokens". */
export const dayLimitsIn = ({limits}: Pick<AgentSettings, "limits">): string =>
  (["user", "channel", "day"] as const)
    .flatMap(of => Object.entries(limits[of]).map(([what, most]) => `${of} ${most} ${what}`))
    .join(", ") || "none"
