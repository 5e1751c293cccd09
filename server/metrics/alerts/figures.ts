import type {AlertCode} from "../../../shared/alerts/items.ts"
import {readinessReasons} from "../../../shared/api/readiness.ts"
import type {Condition} from "./condition.ts"
import {Window} from "./window.ts"
import {conditionOf} from "./words.ts"

/** An interval in which an endpoint may have missed messages. Times are in milliseconds since 1970. */
export interface SeenGap {
  readonly endpoint: string
  readonly reason: string
  readonly planned: boolean
  readonly from: number
  /** Null while it is open. */
  readonly to: number | null
}

/** The numbers of an agent's runs that ended within an hour. */
export interface AgentEnds {
  readonly agent: string
  readonly ended: number
  readonly bad: number
  /** The newest run that failed or was cancelled. */
  readonly runId?: string
}

/** Figures beyond the list that the console shows. Undefined means unknown. */
export interface Figures {
  /** Starts in the quarter of an hour before this run's start, which counts too. */
  readonly starts: number | undefined
  readonly startedAt: number
  /** Records of errors that the log has written. */
  readonly errors: number
  readonly streamGaps: number
  readonly eventsDropped: number
  readonly gaps: readonly SeenGap[] | undefined
  /** A share, 0 to 1. */
  readonly capacity: number | undefined
  /** Bytes. */
  readonly disk: {readonly free: number; readonly least: number} | undefined
  readonly databaseFailure: {readonly code: string; readonly message: string} | undefined
  readonly databaseDamage: {readonly tables: readonly string[]; readonly message: string} | undefined
  /** How long the oldest one has waited, in seconds, by endpoint. */
  readonly oldest:
    | {readonly inbox: ReadonlyMap<string, number>; readonly outbox: ReadonlyMap<string, number>}
    | undefined
  readonly blocked: number
  readonly agents: readonly AgentEnds[] | undefined
}

const minute = 60_000
const quarter = 15 * minute

/** Only longer planned gaps are reported. */
const shortGap = minute

/** Watches figures that only have a meaning over time. */
export class FigureWatch {
  #run: {readonly errors: Window; readonly streamGaps: Window; readonly dropped: Window} | undefined

  conditions(figures: Figures, now: number): readonly Condition[] {
    return [
      ...this.#counted(figures, now),
      ...(figures.agents ?? []).flatMap(agent),
      ...restarts(figures, now),
      ...(figures.gaps ?? [])
        .filter(gap => isRecent(gap, now))
        .map(gapCondition)
        .filter(firstOfEndpoint),
      ...storage(figures),
      ...stuck(figures, now),
      ...blocked(figures),
    ]
  }

  /** These figures are of this run alone, which the text says while the run is shorter than their period. */
  #counted({errors, streamGaps, eventsDropped, startedAt}: Figures, now: number): readonly Condition[] {
    this.#run ??= {
      errors: new Window(5 * minute, startedAt),
      streamGaps: new Window(quarter, startedAt),
      dropped: new Window(quarter, startedAt),
    }
    const logged = this.#run.errors.take(errors, now)
    const gaps = this.#run.streamGaps.take(streamGaps, now)
    const dropped = this.#run.dropped.take(eventsDropped, now)
    const start = new Date(startedAt).toISOString()
    const within = now - startedAt < quarter ? {start} : {whole: ""}
    const perMinute = logged.grown / 5
    const rate = now - startedAt < 5 * minute ? {count: logged.grown, start} : {rate: Math.round(perMinute)}
    const counted = (code: AlertCode, {grown: count, grewAt}: typeof gaps) =>
      conditionOf(code, {count, ...within}, {value: count, ...(grewAt === undefined ? {} : {since: grewAt})})
    return [
      ...(logged.grown > 0 ? [conditionOf("log_errors", rate, {value: perMinute})] : []),
      ...(gaps.grown > 0 ? [counted("event_stream_gaps", gaps)] : []),
      ...(dropped.grown > 0 ? [counted("events_dropped", dropped)] : []),
    ]
  }
}

const agent = ({agent: name, ended, bad, runId}: AgentEnds): readonly Condition[] => {
  if (ended <= 4 || bad === 0) return []
  const about = {subject: name, ...(runId === undefined ? {} : {runId}), value: (bad / ended) * 100}
  return [conditionOf("agent_failures", {name, bad, ended}, about)]
}

const restarts = ({starts, startedAt}: Figures, now: number): readonly Condition[] =>
  starts === undefined || now - startedAt > quarter
    ? []
    : [conditionOf("restarts", {starts}, {since: startedAt, value: starts})]

/** A planned gap counts only after a minute. A gap that ended a quarter of an hour ago no longer counts. */
const isRecent = ({planned, from, to}: SeenGap, now: number): boolean =>
  now - (to ?? now) < quarter && (!planned || (to ?? now) - from > shortGap)

const gapCondition = ({endpoint, reason, from, to}: SeenGap): Condition => {
  const end = to === null ? {open: ""} : {to: new Date(to).toISOString()}
  const values = {name: endpoint, from: new Date(from).toISOString(), ...end, reason}
  return conditionOf("endpoint_gap", values, {subject: endpoint, endpoint, since: from})
}

const firstOfEndpoint = ({subject}: Condition, index: number, all: readonly Condition[]): boolean =>
  all.findIndex(other => other.subject === subject) === index

const mebibytes = (bytes: number): number => Math.round(bytes / 1024 ** 2)

const storage = ({capacity, disk, databaseFailure, databaseDamage}: Figures): readonly Condition[] => {
  const conditions: Condition[] = []
  if (capacity !== undefined)
    conditions.push(conditionOf("database_capacity", {share: Math.round(capacity * 100)}, {value: capacity * 100}))
  if (disk !== undefined && disk.free < 2 * disk.least)
    conditions.push(conditionOf("disk_full", {free: mebibytes(disk.free), least: mebibytes(disk.least)}))
  if (databaseFailure !== undefined) {
    const {code, message} = databaseFailure
    conditions.push(conditionOf("database_failing", {code, why: message.slice(0, 300)}))
  }
  if (databaseDamage !== undefined) {
    const values = {
      tables: databaseDamage.tables.join(", ") || "not known yet",
      why: databaseDamage.message.slice(0, 300),
    }
    const {remediation} = readinessReasons.database_damaged
    conditions.push(conditionOf("database_failing", values, {subject: "damage", remediation}, "database_damaged"))
  }
  return conditions
}

const stuck = ({oldest}: Figures, now: number): readonly Condition[] => {
  const each = (code: AlertCode, ages: ReadonlyMap<string, number>) =>
    [...ages].map(([name, age]) =>
      conditionOf(code, {name}, {subject: name, endpoint: name, value: age, since: now - age * 1000}),
    )
  return oldest === undefined ? [] : [...each("inbox_stuck", oldest.inbox), ...each("outbox_stuck", oldest.outbox)]
}

const blocked = ({blocked: count}: Figures): readonly Condition[] =>
  count === 0 ? [] : [conditionOf("workroom_blocked", {count}, {value: count})]
