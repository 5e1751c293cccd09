import type {Log} from "../../log.ts"
import type {Static, TSchema} from "../../type.ts"
import type {Content} from "../content/elements.ts"
import type {SessionDatabase, Target} from "../session/session.ts"

/** What started a run: its due time, a missed due time, or a person. */
export const runTriggers = ["schedule", "catch_up", "manual"] as const
export type RunTrigger = (typeof runTriggers)[number]

/** One run of a plugin's job. The run ends with its function; later calls throw `late`. */
export interface JobRun<D = unknown> {
  readonly runId: string
  /** The job's id in `data/schedule-jobs.json`. */
  readonly job: string
  /** The due time, without jitter. */
  readonly scheduledFor: Date
  readonly trigger: RunTrigger
  /** The `data` of the job's target. */
  readonly data: D
  /** Aborted when the run times out or is cancelled, or the Host stops. */
  readonly signal: AbortSignal
  readonly log: Log
  /** Queues a message, and resolves to its outbox id at once. It commits with the run: one that throws sends none. */
  send(to: Target, content: Content): Promise<string>
  /** The plugin's tables. Writes commit together with the run's end. */
  readonly database: SessionDatabase
}

/** A job's schedule until the operator changes it: `cron`, or `every` with `from`, as in `data/schedule-jobs.json`. */
export type DefaultSchedule<D = unknown> = (
  | {readonly cron: string}
  | {readonly every: string; readonly from?: string}
) & {
  /** An IANA timezone, such as `Europe/Berlin`. */
  readonly timezone: string
  /** Data for the handler. */
  readonly data?: D
  readonly missed?: "skip" | "once" | "all"
  readonly overlap?: "skip" | "queue"
  readonly jitter?: string
}

export interface JobDefinition<D extends TSchema = TSchema> {
  readonly description?: string
  /** The schema of the target's `data`. A run whose data does not fit fails. */
  readonly data?: D
  /**
   * The default schedule. The Host writes it to `data/schedule-jobs.json` once, after it commits the generation, unless
   * a job there already calls this one. From then on the operator owns the job: svc keeps all changes and does not add
   * a removed job again.
   */
  readonly schedule?: DefaultSchedule<Static<D>>
  /** The time limit of a run in seconds, at most a day; 600 when left out. */
  readonly timeout?: number
}

/** Runs the job. If it throws, the run has failed, and the Host does not repeat it. */
export type JobHandler<D = unknown> = (run: JobRun<D>) => unknown

/** Declares what a scheduled job with `target: {plugin, job}` calls. */
export interface DeclareJob {
  (name: string, handler: JobHandler): void
  <D extends TSchema>(name: string, definition: JobDefinition<D>, handler: JobHandler<Static<D>>): void
}
