import {setTimeout as sleep} from "node:timers/promises"
import type {Log} from "../../shared/log.ts"
import {Problem, type ProblemCode} from "../../shared/problems.ts"
import {type Backoff, pauseAfter} from "../../shared/sdk/adapter/backoff.ts"

/** Failures of what stores that pass: a full disk, a stranger's lock, a disk error, a remote that does not answer. */
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
 * Does work on the database that must not be given up: while the database fails, it is done again after a pause, until it
 * succeeds, is refused, or the database is closed. Its outcome may have been unknown, so it has to bear being repeated.
 */
export const persist = async <T>(what: string, log: Log, work: () => Promise<T>): Promise<T> => {
  for (let failures = 1; ; failures++) {
    try {
      const result = await work()
      if (failures > 1) log.info(`${what} is stored now`)
      return result
    } catch (error) {
      if (!(error instanceof Problem) || !passing.has(error.code)) throw error
      if (failures === 1) log.error(`${what} waits for the database: ${error.message}`, {code: error.code})
      await sleep(pauseAfter(failures, again))
    }
  }
}
