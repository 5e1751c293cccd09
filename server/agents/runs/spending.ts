import type {AgentReason} from "../../../shared/agents/states.ts"
import type {AgentSettings, Budget} from "../../../shared/config/agents.ts"
import {toJson} from "../../../shared/json.ts"
import {assertThat, type Reader, type Statement} from "../../database/database.ts"
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

/** Selects the subjects whose limit of the day the next amount would exceed. */
const selectPassed = `SELECT l.value ->> 'of' AS subject FROM json_each(?1) l
  LEFT JOIN agent_spending s ON s.agent = ?2 AND s.day = ?3 AND s.subject = l.value ->> 'subject'
  WHERE coalesce(s.runs, 0) + ?4 > l.value ->> 'runs' OR coalesce(s.tokens, 0) + ?5 > l.value ->> 'tokens'
    OR coalesce(s.money, 0) + ?6 > l.value ->> 'money'`

type Spender = Pick<AgentRun, "agent" | "endpoint" | "channel" | "place">
type Limited = Pick<AgentSettings, "limits">

const passedBy = (
  run: Spender,
  {limits}: Limited,
  day: string,
  {runs = 0, tokens = 0, money = 0}: Partial<Counted>,
) => {
  const subjects = (Object.entries(subjectsOf(run)) as [Subject, string][]).map(([of, subject]) => {
    const {money: most, ...rest} = limits[of]
    return {of, subject, ...rest, ...(most === undefined ? {} : {money: most * millionths})}
  })
  return {sql: selectPassed, args: [toJson(subjects), run.agent, day, runs, tokens, money]}
}

/** Returns the limit of a day that the next amount would exceed; undefined if none. */
export const dayLimitOf = async (
  database: Reader,
  run: Spender,
  limited: Limited,
  day: string,
  next: Partial<Counted>,
): Promise<AgentReason | undefined> => {
  const {sql, args} = passedBy(run, limited, day, next)
  const [passed] = await database.read(sql, args)
  return passed && `limit_${passed.subject as Subject}`
}

/** Makes its batch fail if the next amount would exceed a limit of the day. */
export const assertDayLimits = (run: Spender, limited: Limited, day: string, next: Partial<Counted>): Statement => {
  const {sql, args} = passedBy(run, limited, day, next)
  return assertThat(`NOT EXISTS (${sql})`, args)
}

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
