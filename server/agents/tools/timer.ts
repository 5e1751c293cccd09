import {agentsPluginName} from "../../../shared/agents/binding.ts"
import {toJson} from "../../../shared/json.ts"
import {Problem} from "../../../shared/problems.ts"
import {Closed, Optional, type Static, Type} from "../../../shared/type.ts"
import type {Reader} from "../../database/database.ts"
import {sha256Of} from "../../runtime/files.ts"
import {countWaiting} from "../../scheduler/timers/rows.ts"
import type {Timers} from "../../scheduler/timers/timers.ts"
import type {AgentTool, RunFacts} from "../runs/tool.ts"
import {type WakeData, wakeTimer} from "../triggers/plugin.ts"
import {quote} from "./quote.ts"

const minute = 60_000
const longest = 366 * 24 * 60 * minute

/** The most pending timers of an agent in one conversation. */
const mostWaiting = 10

const Arguments = Closed({
  in_minutes: Optional.Integer({
    minimum: 1,
    maximum: longest / minute,
    description: "Minutes from now; alternatively set `at`.",
  }),
  at: Optional.String({format: "date-time", description: "The time with its time zone, such as 2026-12-01T18:00:00Z."}),
  note: Type.String({
    minLength: 1,
    maxLength: 2000,
    pattern: "\\S",
    description: "What to do then. You will see only this note, not the rest of this conversation.",
  }),
})
type Arguments = Static<typeof Arguments>

export interface TimerDeps {
  readonly timers: Pick<Timers, "prepare">
  readonly database: Reader
}

/** Sets a timer that starts another run of the agent in this conversation, for the same user. The note is its input. */
export const timerTool = (deps: TimerDeps): AgentTool => ({
  name: "timer",
  description:
    "Wakes you later in this conversation, with your note. Use it for reminders, or to check something again.",
  parameters: Arguments,
  effect: "transaction",
  permission: "user",
  approval: false,
  timeout: 10_000,
  describe: (args, {agent}) => {
    const {in_minutes, at, note} = args as Arguments
    const when = at === undefined ? `${in_minutes} minutes after this is approved` : `at ${at}`
    return `Wake the agent ${agent} ${when}, in this conversation, with the note:\n${quote(note)}`
  },
  run: async ({args, key, run, now}) => {
    const due = dueOf(args as Arguments, now)
    const prefix = prefixOf(run)
    const count = await countWaiting(deps.database, agentsPluginName, prefix, prefix.replace(":", ";"))
    if (count >= mostWaiting)
      throw new Problem(
        "timer_invalid",
        `${count} timers are already waiting in this conversation; the limit is ${mostWaiting}.`,
      )
    const {agent, user, permission} = run
    const kept = user === undefined && permission !== undefined ? {permission} : {}
    const data: WakeData = {agent, note: (args as Arguments).note, ...kept}
    const options = {key: `${prefix}${key}`}
    const setting = deps.timers.prepare(agentsPluginName, wakeTimer, {at: due}, data, placeOf(run), options)
    const value = `You will be woken at ${new Date(due).toISOString()}.`
    return {value, statements: setting.statements, stored: () => setting.stored()}
  },
})

/** Returns milliseconds since 1970. Throws `timer_invalid`. */
const dueOf = ({in_minutes, at}: Arguments, now: number): number => {
  if ((in_minutes === undefined) === (at === undefined))
    throw new Problem("timer_invalid", "set either in_minutes or at.")
  const due = at === undefined ? now + (in_minutes ?? 0) * minute : Date.parse(at)
  if (due >= now + minute && due <= now + longest) return due
  throw new Problem(
    "timer_invalid",
    `the time must be between one minute and 366 days from now; it is now ${new Date(now).toISOString()}.`,
  )
}

const placeOf = ({endpoint, place}: RunFacts) => ({...place, ...(endpoint === undefined ? {} : {endpoint})})

const prefixOf = ({agent, endpoint, place}: RunFacts): string =>
  `${sha256Of(toJson([agent, endpoint ?? null, place.channel?.id ?? null])).slice(0, 32)}:`
