import {type RunTrigger, runTriggers} from "../../sdk/plugin/job.ts"
import type {Statement} from "../../sdk/session/database.ts"
import {Closed, Named, NamedClosed, Optional, orNull, type Static, Time, Type} from "../../type.ts"
import type {Position} from "../plugin-views.ts"
import {commandBodies} from "../workroom.ts"
import {DueTime} from "./job-calendar.ts"

/** The pattern of job ids, as a regular expression source. */
export const jobIdPattern = "^[a-z0-9][a-z0-9._-]{0,63}$"

/** A number above zero and its unit. */
export const period = "^[1-9][0-9]{0,8}(s|m|h|d)$"

/** `2026-05-01T09:00` in the job's timezone. With `Z` or an offset, exactly that instant. */
export const timePattern = "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2})?(Z|[+-]\\d{2}:\\d{2})?$"

/** Exactly one of `cron`, `every` and `at`. */
export const Schedule = NamedClosed("Schedule", {
  cron: Optional.String({minLength: 1, description: "Five fields, or six with seconds first"}),
  every: Optional.String({pattern: period, description: "Elapsed time: 30s, 15m, 24h, 7d"}),
  from: Optional.String({pattern: timePattern, description: "The start of `every`; 1970-01-01T00:00Z when left out"}),
  at: Optional.String({pattern: timePattern, description: "Once, at this time"}),
})
export type Schedule = Static<typeof Schedule>

/** The work item that a job adds: the fields of `add`, without the actor and the request. */
const {actor: _, request: __, ...template} = commandBodies.add.properties

/**
 * The target of a job:
 * - a message: `endpoint`, `channel`, `text`
 * - a plugin's job: `plugin`, `job`, `data`
 * - a work item: `item`
 * - an agent: `agent`, `text`, and `endpoint` and `channel` for its answer
 */
export const JobTarget = NamedClosed("JobTarget", {
  endpoint: Optional.String({minLength: 1}),
  channel: Optional.String({minLength: 1, private: true}),
  text: Optional.String({minLength: 1, maxLength: 100_000, private: true}),
  plugin: Optional.String({minLength: 1}),
  job: Optional.String({minLength: 1, description: "A name that the plugin declares with plugin.job"}),
  data: Type.Optional(Type.Unknown({private: true, description: "Data for the plugin's job"})),
  item: Type.Optional(NamedClosed("JobItem", template, {private: true})),
  agent: Optional.String({
    minLength: 1,
    description: "An agent that receives `text`. Its answer goes to endpoint and channel, if given",
  }),
})
export type JobTarget = Static<typeof JobTarget>

const settings = {
  label: Optional.String({maxLength: 200, private: true}),
  enabled: Optional.Boolean({default: true}),
  schedule: Schedule,
  timezone: Type.String({minLength: 1, description: "IANA timezone, such as Europe/London"}),
  target: JobTarget,
  missed: Optional.Enum(["skip", "once", "all"], {
    default: "skip",
    description: "What to do about due times at which the Host was stopped or ingress was paused",
  }),
  overlap: Optional.Enum(["skip", "queue"], {default: "skip", description: "What to do at a time while a run is open"}),
  jitter: Optional.String({pattern: period, description: "Fires up to this much later; at most 24h"}),
}

/** One job as in `data/schedule-jobs.json`. */
export const Job = NamedClosed("Job", {id: Type.String({pattern: jobIdPattern}), ...settings})
export type Job = Static<typeof Job>

export const JobFile = Closed({
  version: Type.Literal(1),
  authority: Optional.String({minLength: 1, description: "Written by svc"}),
  jobs: Type.Array(Job),
})
export type JobFile = Static<typeof JobFile>

const expectedRevision = Optional.String({description: "409 if the job has another revision: somebody else changed it"})

export const JobRemoval = NamedClosed("JobRemoval", {expectedRevision})
export type JobRemoval = Static<typeof JobRemoval>

/** The body of `edit`: it changes the given keys, and replaces schedule and target as a whole. */
export const JobChange = NamedClosed("JobChange", {
  ...settings,
  schedule: Type.Optional(Schedule),
  timezone: Type.Optional(settings.timezone),
  target: Type.Optional(JobTarget),
  clear: Optional.Array(Type.Enum(["label", "missed", "overlap", "jitter"]), {description: "Keys to remove"}),
  expectedRevision,
})
export type JobChange = Static<typeof JobChange>

export const runStates = ["queued", "running", "succeeded", "failed", "cancelled", "skipped"] as const
export type RunState = (typeof runStates)[number]

export const RunView = Named("RunView", {
  kind: Type.Literal("job"),
  runId: Type.String(),
  seq: Type.Integer(),
  job: Type.String(),
  trigger: Type.Enum([...runTriggers]),
  state: Type.Enum([...runStates]),
  scheduledFor: Time("The due time, without jitter"),
  missedFrom: orNull(Time("The first of the missed due times that this run replaces")),
  reason: orNull(Type.String({description: "A code for why it was skipped, cancelled or failed"})),
  error: orNull(Type.String({private: true})),
  createdAt: Time(),
  startedAt: orNull(Time()),
  endedAt: orNull(Time()),
  runtimeId: orNull(Type.String({description: "The Host that ran it"})),
})
export type RunView = Static<typeof RunView>

const {runId, state, reason, endedAt} = RunView.properties
const LastRun = Named("LastRun", {runId, state, reason, endedAt})

/** A schedule that a plugin declares for its job. svc wrote it to the file once; since then, the file decides. */
const DeclaredDefault = Named("DeclaredDefault", {plugin: Type.String(), schedule: Schedule, timezone: Type.String()})

export const JobView = Named("JobView", {
  ...Job.properties,
  enabled: Type.Boolean(),
  missed: Type.Enum(["skip", "once", "all"]),
  overlap: Type.Enum(["skip", "queue"]),
  nextAt: orNull(Time("When it fires next, with jitter; null if it does not fire again")),
  openRuns: Type.Integer(),
  problem: orNull(Type.String({description: "Why its target cannot be reached now"})),
  revision: Type.String({private: true, description: "Changes with every change of the job"}),
  declared: orNull(DeclaredDefault, {
    description: "The default schedule of the plugin's job that it calls; null if there is none, or if no Host runs",
  }),
  lastRun: orNull(LastRun, {description: "The run that ended last; null if there is none, or if no Host runs"}),
})
export type JobView = Static<typeof JobView>

export const JobFileView = Named("JobFileView", {
  authority: orNull(Type.String({description: "The authority in the file; null if it names none"})),
  sha256: orNull(Type.String({description: "SHA-256 of the active file; null if there is none"})),
  refused: orNull(
    Type.Object({at: Time(), detail: Type.String(), issues: Type.Array(Type.String(), {private: true})}),
    // The previous jobs keep running.
  ),
})
export type JobFileView = Static<typeof JobFileView>

export const NextView = Named("NextView", {timezone: Type.String(), items: Type.Array(DueTime)})
export type NextTimes = Static<typeof NextView>

/** One run of a job, as its target receives it. */
export interface Firing {
  readonly runId: string
  readonly job: string
  /** The due time, without jitter, in milliseconds since 1970. */
  readonly scheduledFor: number
  readonly trigger: RunTrigger
  readonly target: JobTarget
  /** Aborted when the run is cancelled. */
  readonly signal: AbortSignal
}

/** What a run sends and writes, stored in one batch with its end or not at all. */
export interface FiringEffect {
  readonly statements: readonly Statement[]
  /** Called once the statements are durable. */
  stored?(): void
  /** Called once the statements are durable, or will not be. */
  release?(): void
}

/** One kind of target. `fire` is called at most once for a `runId`: an interrupted run has failed. */
export interface FiringTarget {
  /** Returns why the target cannot be reached now; undefined if it can. */
  problem(target: JobTarget): string | undefined
  /** Returns what is wrong with the data of a reachable target. */
  misfit?(target: JobTarget): string | undefined
  /** Runs the target. An error fails the run. */
  fire(firing: Firing): Promise<FiringEffect>
  /** Returns where in the target's own files an error was thrown. */
  positionOf?(target: JobTarget, error: unknown): Position | undefined
}
