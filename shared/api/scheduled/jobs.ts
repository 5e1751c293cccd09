import type {Statement} from "../../sdk/plugin/database.ts"
import {type Static, Type} from "../../type.ts"
import {Named, orNull, Time} from "../schemas.ts"
import {commandBodies} from "../workroom.ts"

const closed = {additionalProperties: false}

/** What a job may be called, as a regular expression source. */
export const jobIdPattern = "^[a-z0-9][a-z0-9._-]{0,63}$"

/** A number above zero and its unit. */
export const period = "^[1-9][0-9]{0,8}(s|m|h|d)$"

/** `2026-05-01T09:00`, local to the job's timezone, or with `Z` or an offset: then it is that instant. */
export const timePattern = "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2})?(Z|[+-]\\d{2}:\\d{2})?$"

/** Exactly one of `cron`, `every` and `at`. */
export const Schedule = Named(
  "Schedule",
  {
    cron: Type.Optional(Type.String({minLength: 1, description: "Five fields, or six with seconds first"})),
    every: Type.Optional(Type.String({pattern: period, description: "Elapsed time: 30s, 15m, 24h, 7d"})),
    from: Type.Optional(
      Type.String({pattern: timePattern, description: "What `every` counts from; 1970-01-01T00:00Z when left out"}),
    ),
    at: Type.Optional(Type.String({pattern: timePattern, description: "Once, at this time"})),
  },
  closed,
)
export type Schedule = Static<typeof Schedule>

/** The work item that a job adds: what `add` takes but for who asks. */
const {actor: _, request: __, ...template} = commandBodies.add.properties

/** A message (`endpoint`, `channel`, `text`), a plugin's job (`plugin`, `job`, `data`), a work item (`item`), or an agent (`agent`, `text`, and `endpoint` and `channel` for its answer). */
export const JobTarget = Named(
  "JobTarget",
  {
    endpoint: Type.Optional(Type.String({minLength: 1})),
    channel: Type.Optional(Type.String({minLength: 1, private: true})),
    text: Type.Optional(Type.String({minLength: 1, maxLength: 100_000, private: true})),
    plugin: Type.Optional(Type.String({minLength: 1})),
    job: Type.Optional(Type.String({minLength: 1, description: "What the plugin declares with plugin.job"})),
    data: Type.Optional(Type.Unknown({private: true, description: "Handed to the plugin's job"})),
    item: Type.Optional(Named("JobItem", template, {...closed, private: true})),
    agent: Type.Optional(
      Type.String({
        minLength: 1,
        description: "An agent that is asked `text`; its answer goes to endpoint and channel, where they are given",
      }),
    ),
  },
  closed,
)
export type JobTarget = Static<typeof JobTarget>

const settings = {
  label: Type.Optional(Type.String({maxLength: 200, private: true})),
  enabled: Type.Optional(Type.Boolean({default: true})),
  schedule: Schedule,
  timezone: Type.String({minLength: 1, description: "IANA, for example Europe/London"}),
  target: JobTarget,
  missed: Type.Optional(
    Type.Enum(["skip", "once", "all"], {
      default: "skip",
      description: "What becomes of due times at which the Host was stopped or ingress paused",
    }),
  ),
  overlap: Type.Optional(
    Type.Enum(["skip", "queue"], {default: "skip", description: "What becomes of a run while one is open"}),
  ),
  jitter: Type.Optional(Type.String({pattern: period, description: "Fires up to so much later; at most 24h"})),
}

/** One job as `data/schedule-jobs.json` holds it. */
export const Job = Named("Job", {id: Type.String({pattern: jobIdPattern}), ...settings}, closed)
export type Job = Static<typeof Job>

export const JobFile = Type.Object(
  {
    version: Type.Literal(1),
    authority: Type.Optional(Type.String({minLength: 1, description: "Written by svc"})),
    jobs: Type.Array(Job),
  },
  closed,
)
export type JobFile = Static<typeof JobFile>

const expectedRevision = Type.Optional(
  Type.String({description: "Refuses with 409 where the job has another revision by now: somebody else changed it"}),
)

/** What `remove` may ask for. */
export const JobRemoval = Named("JobRemoval", {expectedRevision}, closed)
export type JobRemoval = Static<typeof JobRemoval>

/** What `edit` changes: what is named, schedule and target as a whole. */
export const JobChange = Named(
  "JobChange",
  {
    ...settings,
    schedule: Type.Optional(Schedule),
    timezone: Type.Optional(settings.timezone),
    target: Type.Optional(JobTarget),
    clear: Type.Optional(
      Type.Array(Type.Enum(["label", "missed", "overlap", "jitter"]), {description: "Keys to take out"}),
    ),
    expectedRevision,
  },
  closed,
)
export type JobChange = Static<typeof JobChange>

export const runStates = ["queued", "running", "succeeded", "failed", "cancelled", "skipped"] as const
export type RunState = (typeof runStates)[number]

/** What had a run made: its due time, a due time that had been missed, or somebody who asked for it. */
export const runTriggers = ["schedule", "catch_up", "manual"] as const
export type RunTrigger = (typeof runTriggers)[number]

export const RunView = Named("RunView", {
  kind: Type.Literal("job"),
  runId: Type.String(),
  seq: Type.Integer(),
  job: Type.String(),
  trigger: Type.Enum([...runTriggers]),
  state: Type.Enum([...runStates]),
  scheduledFor: Time("The due time, without jitter"),
  missedFrom: orNull(Time("The first of the missed due times that this run stands for")),
  reason: orNull(Type.String({description: "Why it was skipped, cancelled or failed, as a word"})),
  error: orNull(Type.String({private: true})),
  createdAt: Time(),
  startedAt: orNull(Time()),
  endedAt: orNull(Time()),
  runtimeId: orNull(Type.String({description: "The Host that ran it"})),
})
export type RunView = Static<typeof RunView>

const {runId, state, reason, endedAt} = RunView.properties
const LastRun = Named("LastRun", {runId, state, reason, endedAt})

/** A schedule that a plugin declares for its job: svc wrote it to the file once, and what the file says since is what holds. */
const DeclaredDefault = Named("DeclaredDefault", {plugin: Type.String(), schedule: Schedule, timezone: Type.String()})

export const JobView = Named("JobView", {
  ...Job.properties,
  enabled: Type.Boolean(),
  missed: Type.Enum(["skip", "once", "all"]),
  overlap: Type.Enum(["skip", "queue"]),
  nextAt: orNull(Time("When it fires next, jitter included; null where it does not")),
  openRuns: Type.Integer(),
  problem: orNull(Type.String({description: "What keeps its target from being reached now"})),
  revision: Type.String({private: true, description: "Another one once the job says something else"}),
  declared: orNull(DeclaredDefault, {
    description: "The default of the plugin's job that it calls; null where there is none, or no Host that knows",
  }),
  lastRun: orNull(LastRun, {description: "The run that ended last; null where there is none, or no Host that knows"}),
})

export const JobFileView = Named("JobFileView", {
  authority: orNull(Type.String({description: "That the file names; null where there is none"})),
  sha256: orNull(Type.String({description: "Of the file that runs; null where there is none"})),
  refused: orNull(
    Type.Object({
      at: Time(),
      detail: Type.String(),
      issues: Type.Array(Type.String(), {private: true}),
    }),
    // The jobs that ran before go on.
  ),
})

export const NextView = Named("NextView", {
  timezone: Type.String(),
  items: Type.Array(
    Type.Object({
      scheduledFor: Time(),
      firesAt: Time("With jitter"),
      local: Type.String({description: "The due time in the job's timezone"}),
    }),
  ),
})
export type NextTimes = Static<typeof NextView>

/** One run of a job, in the hands of what it is for. */
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

/** What a run leaves behind: stored in one batch with its end, or not at all. */
export interface FiringEffect {
  readonly statements: readonly Statement[]
  /** Told once they are durable. */
  stored?(): void
  /** Told once they are durable, or will not be. */
  release?(): void
}

/** One kind of target. `fire` may be called once for a `runId`, and never again: a run that was cut off has failed. */
export interface FiringTarget {
  /** What keeps the target from being reached now; undefined where nothing does. */
  problem(target: JobTarget): string | undefined
  /** What is wrong with the data of a target that can be reached. */
  misfit?(target: JobTarget): string | undefined
  /** What it throws fails the run. */
  fire(firing: Firing): Promise<FiringEffect>
}
