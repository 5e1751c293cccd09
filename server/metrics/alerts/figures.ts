import {readinessReasons} from "../../../shared/api/readiness.ts"
import type {Condition} from "./condition.ts"
import {Window} from "./window.ts"

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
    const start = `since the Host started at ${new Date(startedAt).toISOString()}`
    const within = now - startedAt < quarter ? start : "within 15 minutes"
    const conditions: Condition[] = []
    if (logged.grown > 0)
      conditions.push({
        code: "log_errors",
        title: "The Host logs many errors",
        text:
          now - startedAt < 5 * minute
            ? `${logged.grown} ${start}.`
            : `${Math.round(logged.grown / 5)} per minute over the last five minutes.`,
        remediation: {text: "Read the errors in the log.", command: "svc logs --level error"},
        value: logged.grown / 5,
      })
    if (gaps.grown > 0)
      conditions.push({
        code: "event_stream_gaps",
        title: "A client of the event stream has a gap",
        text: `${gaps.grown} ${within}: clients could not resume where they stopped.`,
        remediation: {
          text: "Let clients reconnect sooner, raise events.history, or find the client that reads too slowly. One gap after a restore is normal.",
        },
        value: gaps.grown,
        ...(gaps.grewAt === undefined ? {} : {since: gaps.grewAt}),
      })
    if (dropped.grown > 0)
      conditions.push({
        code: "events_dropped",
        title: "Events are missing from the history",
        text: `The database did not store ${dropped.grown} of them ${within}.`,
        remediation: {text: "See what failed in the report's database component.", command: "svc doctor"},
        value: dropped.grown,
        ...(dropped.grewAt === undefined ? {} : {since: dropped.grewAt}),
      })
    return conditions
  }
}

const agent = ({agent: name, ended, bad, runId}: AgentEnds): readonly Condition[] =>
  ended <= 4 || bad === 0
    ? []
    : [
        {
          code: "agent_failures",
          subject: name,
          title: `Runs of the agent ${name} are failing`,
          text: `${bad} of ${ended} runs within an hour failed or were cancelled.`,
          remediation: {
            text: `Check the provider, its key and the limits of agents.${name}.`,
            command: `svc agent runs --agent ${name}`,
          },
          ...(runId === undefined ? {} : {runId}),
          value: (bad / ended) * 100,
        },
      ]

const restarts = ({starts, startedAt}: Figures, now: number): readonly Condition[] =>
  starts === undefined || now - startedAt > quarter
    ? []
    : [
        {
          code: "restarts",
          title: "The Host keeps restarting",
          text: `It was started ${starts} times within 15 minutes.`,
          remediation: {text: "Read the log from before each start.", command: "svc logs --run previous"},
          since: startedAt,
          value: starts,
        },
      ]

/** A planned gap counts only after a minute. A gap that ended a quarter of an hour ago no longer counts. */
const isRecent = ({planned, from, to}: SeenGap, now: number): boolean =>
  now - (to ?? now) < quarter && (!planned || (to ?? now) - from > shortGap)

const gapCondition = ({endpoint, reason, from, to}: SeenGap): Condition => ({
  code: "endpoint_gap",
  subject: endpoint,
  title: `Messages to ${endpoint} may be missing`,
  text: `From ${new Date(from).toISOString()} ${to === null ? "on" : `to ${new Date(to).toISOString()}`}: ${reason}. Its platform does not deliver them again.`,
  remediation: {text: "Read the missed messages on the platform.", command: "svc inbox gaps"},
  endpoint,
  since: from,
})

const firstOfEndpoint = ({subject}: Condition, index: number, all: readonly Condition[]): boolean =>
  all.findIndex(other => other.subject === subject) === index

const mebibytes = (bytes: number): string => `${Math.round(bytes / 1024 ** 2)} MiB`

const storage = ({capacity, disk, databaseFailure, databaseDamage}: Figures): readonly Condition[] => {
  const conditions: Condition[] = []
  if (capacity !== undefined)
    conditions.push({
      code: "database_capacity",
      title: "The database is large for its disk",
      text: `It uses ${Math.round(capacity * 100)} % of the space that it could have.`,
      remediation: {text: "Enlarge the disk, or keep less data (retention).", command: "svc database info"},
      value: capacity * 100,
    })
  if (disk !== undefined && disk.free < 2 * disk.least)
    conditions.push({
      code: "disk_full",
      title: "The disk is nearly full",
      text: `${mebibytes(disk.free)} are free for the Host's data; ingress pauses below ${mebibytes(disk.least)}.`,
      remediation: {text: "Free space on the disk of data/ and .svc/ now.", command: "du -h data .svc"},
    })
  if (databaseFailure !== undefined)
    conditions.push({
      code: "database_failing",
      title: "The database is not storing changes",
      text: `The Host rejects events until it does. ${databaseFailure.code}: ${databaseFailure.message.slice(0, 300)}`,
      remediation: {text: "Check the disk and the Host's log.", command: "svc doctor"},
    })
  if (databaseDamage !== undefined)
    conditions.push({
      code: "database_failing",
      subject: "damage",
      title: "The database is damaged",
      text: `Tables: ${databaseDamage.tables.join(", ") || "not known yet"}. ${databaseDamage.message.slice(0, 300)}`,
      remediation: readinessReasons.database_damaged.remediation,
    })
  return conditions
}

const stuck = ({oldest}: Figures, now: number): readonly Condition[] => {
  if (oldest === undefined) return []
  const each = (ages: ReadonlyMap<string, number>, words: (endpoint: string) => Omit<Condition, "value" | "since">) =>
    [...ages].map(([endpoint, age]) => ({...words(endpoint), value: age, since: now - age * 1000}))
  return [
    ...each(oldest.inbox, endpoint => ({
      code: "inbox_stuck",
      subject: endpoint,
      title: `Events of ${endpoint} are waiting for their handlers`,
      text: "The oldest one has waited for minutes.",
      remediation: {
        text: "See which events wait, and what their handlers do.",
        command: "svc inbox list --state pending",
      },
      endpoint,
    })),
    ...each(oldest.outbox, endpoint => ({
      code: "outbox_stuck",
      subject: endpoint,
      title: `Messages to ${endpoint} are waiting to be sent`,
      text: "The oldest one has waited for minutes.",
      remediation: {
        text: "While the endpoint is offline, the Host keeps them.",
        command: "svc outbox list --state queued",
      },
      endpoint,
    })),
  ]
}

const blocked = ({blocked: count}: Figures): readonly Condition[] =>
  count === 0
    ? []
    : [
        {
          code: "workroom_blocked",
          title: `${count} work ${count === 1 ? "item is" : "items are"} blocked`,
          text: "They wait until their blocker is resolved.",
          remediation: {text: "See what blocks them, and until when.", command: "svc workroom list --state blocked"},
          value: count,
        },
      ]
