import {type DraftCheck, type DraftFinding, TimerDraft, type TimerWhen} from "../../../shared/api/scheduled/drafts.ts"
import type {Schedule} from "../../../shared/api/scheduled/jobs.ts"
import {durationOf} from "../../../shared/duration.ts"
import {toJson} from "../../../shared/json.ts"
import {isProblem, Problem} from "../../../shared/problems.ts"
import {channelType} from "../../../shared/sdk/content/satori.ts"
import type {When} from "../../../shared/sdk/session/timer.ts"
import {isTimezone} from "../../../shared/timezone.ts"
import {fits} from "../../config/check.ts"
import {assertThat, type Database, type Row, type Statement} from "../../database/database.ts"
import {explainValue} from "../../runtime/text/explain.ts"
import {type Asked, comingOf, viewFinding} from "../draft-check.ts"
import {revisionOf} from "../revision.ts"
import {instantOf} from "../times/calculator.ts"
import {patternFault} from "../times/cron-pattern.ts"
import {type Place, requireTimer} from "./rows.ts"
import type {Plan} from "./when.ts"

export type TimerAction = "release" | "cancel" | "hold"

/** One timer or several waiting ones by id, or all held timers. */
export type TimerSelection = {readonly id: string | readonly string[]} | "held"

const changes: Readonly<Record<TimerAction, string>> = {
  release: "UPDATE timers SET state = 'waiting', reason = NULL WHERE state = 'held'",
  cancel: "DELETE FROM timers WHERE true",
  hold: "UPDATE timers SET state = 'held', reason = 'operator' WHERE state = 'waiting'",
}

const changing = (action: TimerAction, on: TimerSelection): Statement => {
  if (on === "held") return {sql: `${changes[action]} AND state = 'held' RETURNING id`}
  const isOf = `id IN (SELECT value FROM json_each(?))${typeof on.id === "string" ? "" : " AND state = 'waiting'"}`
  return {sql: `${changes[action]} AND ${isOf} RETURNING id`, args: [toJson([on.id].flat())]}
}

/** Resolves to how many timers changed. Throws `timer_unknown` or `timer_state` for one timer. */
export const act = async (database: Database, action: TimerAction, on: TimerSelection): Promise<number> => {
  const [changed] = await database.write([changing(action, on)])
  const count = changed?.rows.length ?? 0
  if (count > 0 || on === "held" || typeof on.id !== "string") return count
  const row = await requireTimer(database, on.id)
  const state = action === "hold" ? "waiting" : "held"
  throw new Problem("timer_state", `${action} is for ${state} timers; ${on.id} is ${row.state}`)
}

/** Returns the revision of a timer's row, without the due time: a recurring timer's changes automatically. */
export const timerRevision = ({schedule, timezone, data, due_at: due}: Row): string =>
  revisionOf([schedule ?? null, timezone ?? null, data, schedule === null ? Number(due) : null])

type Ids = {readonly [K in "endpoint" | "channel" | "user"]?: string | undefined}

/** Returns the place of a conversation of which only the ids are known. */
export const placeOf = ({endpoint, channel, user}: Ids): Place => ({
  ...(endpoint === undefined ? {} : {endpoint}),
  ...(channel === undefined ? {} : {channel: {id: channel, type: channelType.text}}),
  ...(user === undefined ? {} : {user: {id: user}}),
})

const kinds = ["at", "in", "every", "cron"] as const

/** Returns what is wrong with the time of a timer; `now` is in milliseconds since 1970. */
const whenFindings = (when: TimerWhen, now: number): DraftFinding[] => {
  const given = kinds.filter(kind => when[kind] !== undefined)
  if (given.length !== 1) {
    const got = given.length === 0 ? "" : `, got ${given.join(" and ")}`
    return [{path: "when", message: `expected one of at, in, every and cron${got}`}]
  }
  const {at, cron, timezone} = when
  if (timezone !== undefined && !isTimezone(timezone)) {
    return [{path: "when.timezone", message: `there is no timezone "${timezone}"`}]
  }
  if (cron !== undefined) {
    const fault = patternFault(cron)
    return [
      ...(fault === undefined ? [] : [{...fault, path: "when.cron"}]),
      ...(timezone === undefined ? [{path: "when.timezone", message: "is required with cron"}] : []),
    ]
  }
  if (at === undefined) return []
  const due = instantOf(at, timezone ?? "UTC")
  if (due === undefined) return [{path: "when.at", message: `the time ${at} does not exist`}]
  return due > now ? [] : [{path: "when.at", message: `${at} is in the past`}]
}

/** Returns the time in the form that plugins use. Throws `timer_invalid`. */
export const whenOf = (when: TimerWhen, now: number): When => {
  const [found] = whenFindings(when, now)
  if (found !== undefined) throw new Problem("timer_invalid", `${found.path}: ${found.message}`)
  const {at, in: after, every, cron, timezone = "UTC"} = when
  if (cron !== undefined) return {cron, timezone}
  if (every !== undefined) return {every: durationOf(every)}
  return after === undefined ? {at: instantOf(at ?? "", timezone) ?? now} : {in: durationOf(after)}
}

/** Returns the time as a job schedule, to calculate its due times. */
const scheduleOf = ({at, in: after, every, cron, timezone = "UTC"}: TimerWhen, now: number): Schedule => {
  const second = (time: number) => `${new Date(time).toISOString().slice(0, 19)}Z`
  if (cron !== undefined) return {cron}
  if (every !== undefined) return {every, from: second(now)}
  return {at: second(after === undefined ? (instantOf(at ?? "", timezone) ?? now) : now + durationOf(after))}
}

/** Checks a draft of a timer. `problemOf` checks what only the running Host knows, for a complete draft. */
export const checkTimerDraft = (
  draft: unknown,
  now: number,
  asked: Asked,
  problemOf: (draft: TimerDraft) => readonly DraftFinding[],
): DraftCheck => {
  const isWhole = fits(TimerDraft, draft)
  const shape = isWhole ? [] : explainValue(TimerDraft, draft).map(viewFinding)
  const {when}: {when?: unknown} = typeof draft === "object" && draft !== null ? draft : {}
  if (!fits(TimerDraft.properties.when, when)) return {findings: shape, next: null, changes: []}
  const time = when as TimerWhen
  const found = whenFindings(time, now)
  const findings = [...shape, ...found, ...(isWhole ? problemOf(draft as TimerDraft) : [])]
  if (found.length > 0) return {findings, next: null, changes: []}
  const timed = {id: "", schedule: scheduleOf(time, now), timezone: time.timezone ?? asked.viewer ?? "UTC"}
  return {findings, ...comingOf(isTimezone(timed.timezone) ? timed : {...timed, timezone: "UTC"}, now, asked)}
}

/** Stores a new timer. Throws `conflict` if the plugin has one with its key, which only the plugin may replace. */
export const addTimer = async (
  database: Database,
  statements: readonly Statement[],
  plugin: string,
  key: string | undefined,
): Promise<void> => {
  const taken = "SELECT id FROM timers WHERE plugin = ? AND key = ?"
  const guard = key === undefined ? [] : [assertThat(`NOT EXISTS (${taken})`, [plugin, key])]
  try {
    await database.write([...guard, ...statements])
  } catch (error) {
    if (key === undefined || !isProblem(error, "database_refused")) throw error
    const [row] = await database.read(taken, [plugin, key])
    if (row === undefined) throw error
    throw new Problem("conflict", `${plugin} already has a timer with the key "${key}": ${row.id}`, {cause: error})
  }
}

/** Stores the change of a timer that still matches its row. A failed timer waits again. Throws `conflict`. */
export const changeTimer = async (database: Database, row: Row, plan: Plan, data: string): Promise<void> => {
  const [changed] = await database.write([
    {
      sql: `UPDATE timers SET due_at = ?, schedule = ?, timezone = ?, data = ?,
          state = iif(state = 'held', 'held', 'waiting'), reason = iif(state = 'held', reason, NULL)
        WHERE id = ? AND due_at = ? AND data = ? AND state = ? AND schedule IS ? RETURNING id`,
      args: [
        ...[plan.due, plan.schedule, plan.timezone, data],
        ...[row.id ?? null, row.due_at ?? null, row.data ?? null, row.state ?? null, row.schedule ?? null],
      ],
    },
  ])
  if (changed?.rows.length === 0) throw new Problem("conflict", `timer ${row.id} has fired or was changed`)
}
