import type {RunTrigger} from "../api/scheduled/jobs.ts"
import type {Log} from "../log.ts"
import type {Static, TSchema} from "../type.ts"
import type {Content} from "./elements.ts"
import type {SessionDatabase, Target} from "./session.ts"

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

export interface JobDefinition<D extends TSchema = TSchema> {
  readonly description?: string
  /** What `data` of the job's target must be; a run whose data does not fit fails. */
  readonly data?: D
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
