import type {AlertCode} from "../../../shared/alerts/items.ts"
import {readinessReasons} from "../../../shared/api/readiness.ts"
import type {AgentEnds, AlertFacts, Backlog, SeenGap} from "../../../shared/attention/alert-facts.ts"
import type {Facts} from "../../../shared/attention/finding.ts"
import type {Condition} from "./condition.ts"
import {Window} from "./window.ts"
import {conditionOf} from "./words.ts"

/** What alerts look at beyond the list that the console shows. */
export type Figures = Pick<AlertFacts, "workroom"> & Omit<AlertFacts, keyof Facts | "firstStart">

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
      ...(figures.agentEnds ?? []).flatMap(agent),
      ...restarts(figures, now),
      ...(figures.gaps ?? [])
        .filter(gap => isRecent(gap, now))
        .map(gapCondition)
        .filter(({subject}, index, all) => all.findIndex(other => other.subject === subject) === index),
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
const isRecent = ({planned, from, to}: SeenGap, now: number): boolean => {
  const end = to === null ? now : Date.parse(to)
  return now - end < quarter && (!planned || end - Date.parse(from) > shortGap)
}

const gapCondition = ({endpoint, reason, from, to}: SeenGap): Condition => {
  const values = {name: endpoint, from, ...(to === null ? {open: ""} : {to}), reason}
  return conditionOf("endpoint_gap", values, {subject: endpoint, endpoint, since: Date.parse(from)})
}

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

const stuck = ({inbox, outbox}: Figures, now: number): readonly Condition[] => {
  const each = (code: AlertCode, backlog: Backlog | undefined) =>
    [...(backlog?.oldestAge ?? [])].map(([name, age]) =>
      conditionOf(code, {name}, {subject: name, endpoint: name, value: age, since: now - age * 1000}),
    )
  return [...each("inbox_stuck", inbox), ...each("outbox_stuck", outbox)]
}

const blocked = ({workroom: {states}}: Figures): readonly Condition[] =>
  states.blocked === 0 ? [] : [conditionOf("workroom_blocked", {count: states.blocked}, {value: states.blocked})]
