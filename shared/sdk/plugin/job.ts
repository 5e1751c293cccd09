import type {RunTrigger} from "../../api/scheduled/jobs.ts"
import type {Log} from "../../log.ts"
import type {Static, TSchema} from "../../type.ts"
import type {Content} from "../elements.ts"
import type {SessionDatabase, Target} from "../session.ts"

/** One run of a plugin's job. Ended by the end of its function; later calls throw `late`. */
export interface JobRun<D = unknown> {
  readonly runId: string
  /** The job's id in `data/schedule-jobs.json`. */
  readonly job: string
  /** The due time, without jitter. */
  readonly scheduledFor: Date
  readonly trigger: RunTrigger
  /** What the job's target has under `data`. */
  readonly data: D
  /** Aborted when the run's time ends, it is cancelled, or the Host stops. */
  readonly signal: AbortSignal
  readonly log: Log
  /** Queues a message; resolves to its outbox id at once. It is committed together with the run's end, so a run that throws has sent nothing. */
  send(to: Target, content: Content): Promise<string>
  /** The plugin's tables; what is written is committed together with the run's end. */
  readonly database: SessionDatabase
}

/** When a job runs unless the operator says otherwise: `cron`, or `every` with `from`, as in `data/schedule-jobs.json`. */
export type DefaultSchedule<D = unknown> = (
  | {readonly cron: string}
  | {readonly every: string; readonly from?: string}
) & {
  /** Of the IANA database, for example `Europe/Berlin`. */
  readonly timezone: string
  /** What the handler gets. */
  readonly data?: D
  readonly missed?: "skip" | "once" | "all"
  readonly overlap?: "skip" | "queue"
  readonly jitter?: string
}

export interface JobDefinition<D extends TSchema = TSchema> {
  readonly description?: string
  /** What `data` of the job's target must be; a run whose data does not fit fails. */
  readonly data?: D
  /**
   * A default. The Host writes it to `data/schedule-jobs.json` once, after the generation is committed, unless a job there calls
   * this one already. From then on the job is the operator's: what was changed stays, and what was removed stays away.
   */
  readonly schedule?: DefaultSchedule<Static<D>>
  /** Seconds that a run may take, at most a day; 600 when left out. */
  readonly timeout?: number
}

/** Runs to its end, or throws: then the run has failed, and is not repeated. */
export type JobHandler<D = unknown> = (run: JobRun<D>) => unknown

/** Declares what `target: {plugin, job}` of a scheduled job calls. */
export interface DeclareJob {
  (name: string, handler: JobHandler): void
  <D extends TSchema>(name: string, definition: JobDefinition<D>, handler: JobHandler<Static<D>>): void
}
