import type {Firing} from "../../shared/api/scheduled/jobs.ts"
import type {Log} from "../../shared/log.ts"
import {Problem} from "../../shared/problems.ts"
import type {Statement} from "../../shared/sdk/plugin/database.ts"
import type {JobRun} from "../../shared/sdk/plugin/job.ts"
import {readStatements} from "../../shared/sdk/values.ts"
import type {PluginSide} from "../messages/session.ts"
import {type Address, addressOf, messageDraft, type OutboxDraft} from "../outbox/draft.ts"
import type {DraftFiles} from "../outbox/files/draft-files.ts"
import {QueuedFiles} from "../outbox/files/queued-files.ts"

export interface OpenRun {
  readonly run: JobRun
  /** Ends the run: what it queued, once its files are stored. Later calls throw `late`. */
  end(): Promise<{readonly sends: readonly OutboxDraft[]; readonly writes: readonly Statement[]}>
  /** What it queued is stored, or will not be: its files may go where nothing needs them. */
  release(): void
}

export interface OpenRunOptions {
  readonly firing: Firing
  readonly database: PluginSide["database"]
  /** Throws where nothing can be sent there. */
  readonly requireTarget: (address: Address) => void
  /** Stores the files of what it sends; without them there are none. */
  readonly files?: DraftFiles | undefined
  readonly log: Log
  /** Aborted when the run's time ends. */
  readonly signal: AbortSignal
}

/** One run of a job in the hands of a plugin. */
export const openRun = ({firing, database, requireTarget, files, log, signal}: OpenRunOptions): OpenRun => {
  const sends: OutboxDraft[] = []
  const queued = new QueuedFiles(files, sends, signal)
  const writes: Statement[] = []
  let ended = false
  const requireOpen = () => {
    if (ended || signal.aborted) throw new Problem("late", "this run has ended; what it does now is refused")
  }
  const run: JobRun = {
    runId: firing.runId,
    job: firing.job,
    scheduledFor: new Date(firing.scheduledFor),
    trigger: firing.trigger,
    data: firing.target.data,
    signal,
    log,
    send: async (target, content) => {
      requireOpen()
      const address = addressOf(target)
      requireTarget(address)
      return queued.queue(messageDraft(address, content))
    },
    database: {
      table: name => database.table(name),
      read: async (sql, args) => {
        requireOpen()
        return database.read(sql, args)
      },
      write: async statements => {
        requireOpen()
        writes.push(...readStatements(statements))
      },
    },
  }
  return {
    run,
    end: async () => {
      ended = true
      await queued.settled()
      return {sends, writes}
    },
    release: () => queued.release(),
  }
}
