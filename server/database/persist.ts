import {setTimeout as sleep} from "node:timers/promises"
import type {Log} from "../../shared/log.ts"
import {Problem, type ProblemCode} from "../../shared/problems.ts"
import {type Backoff, pauseAfter} from "../../shared/sdk/adapter/backoff.ts"

/**
 * Failures that may pass: a full disk, another process's lock, a disk error, a remote database that does not answer.
 */
const passing: ReadonlySet<ProblemCode> = new Set([
  "database_full",
  "database_busy",
  "database_failed",
  "database_unopenable",
  "database_unanswered",
  "database_outcome_unknown",
  // Of a workroom in files.
  "workroom_failed",
  "workroom_outcome_unknown",
])

const again: Backoff = {first: 200, longest: 5000}

/**
 * Does work on the database that must not be lost. While the database fails, retries with pauses until the work
 * succeeds or is refused, or the database is closed. An earlier try may have succeeded unnoticed, so the work must
 * tolerate repetition.
 */
export const persist = async <T>(what: string, log: Log, work: () => Promise<T>): Promise<T> => {
  for (let failures = 1; ; failures++) {
    try {
      const result = await work()
      if (failures > 1) log.info(`${what}: the database works again`)
      return result
    } catch (error) {
      if (!(error instanceof Problem) || !passing.has(error.code)) throw error
      if (failures === 1) log.error(`${what}: the database is failing; retrying: ${error.message}`, {code: error.code})
      await sleep(pauseAfter(failures, again))
    }
  }
}
