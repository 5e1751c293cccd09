import {AsyncLocalStorage} from "node:async_hooks"
import {setTimeout as sleep} from "node:timers/promises"
import type {Log} from "../../shared/log.ts"
import {isProblem, Problem, type ProblemCode} from "../../shared/problems.ts"
import {type Backoff, pauseAfter} from "../../shared/sdk/adapter/backoff.ts"
import type {Hold} from "../runtime/flow/time-limit.ts"
import type {Database} from "./database.ts"
import type {Result, Statement} from "./engine/engine.ts"
import {ChangeFailed} from "./engine/errors.ts"

/** Failures that may pass without a plugin's fault: a full disk, a lock, a disk error, a silent remote database. */
const passing: ReadonlySet<ProblemCode> = new Set([
  "database_full",
  "database_busy",
  "database_failed",
  "database_unopenable",
  "database_unanswered",
  "database_outcome_unknown",
  // Of `data/files/`.
  "state_unwritable",
  // Of a workroom in files.
  "workroom_failed",
  "workroom_outcome_unknown",
])

const again: Backoff = {first: 200, longest: 5000}

/** After this many failures of one change alone, while the database stores others, it counts as refused. */
const mostAlone = 5

const holds = new AsyncLocalStorage<Hold>()

/** Runs work with a time limit, which `hold` suspends while `persist` waits in it. */
export const holdWhileFailing = <T>(hold: Hold, work: () => T): T => holds.run(hold, work)

/**
 * Does work on the database or on files that must not be lost. While they fail, retries with pauses until the work
 * succeeds or is refused, or the database is closed. An earlier try may have succeeded unnoticed, so the work must
 * tolerate repetition. Throws `database_refused` for a change on which a working database fails again and again, and
 * the reason of `signal` once that is aborted.
 */
export const persist = async <T>(what: string, log: Log, work: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
  let alone = 0
  const requirePassing = (error: unknown): Problem => {
    if (!(error instanceof Problem) || !passing.has(error.code)) throw error
    if (error instanceof ChangeFailed && ++alone === mostAlone)
      throw new Problem("database_refused", error.message, {cause: error})
    return error
  }
  const retry = async (): Promise<T> => {
    for (let failures = 1; ; failures++) {
      await sleep(pauseAfter(failures, again), undefined, {signal}).catch(() => signal?.throwIfAborted())
      try {
        const result = await work()
        log.info(`${what}: the storage works again`)
        return result
      } catch (error) {
        requirePassing(error)
      }
    }
  }
  try {
    return await work()
  } catch (error) {
    const {code, message} = requirePassing(error)
    log.error(`${what}: the storage is failing; retrying: ${message}`, {code})
    const hold = holds.getStore()
    return hold === undefined ? retry() : hold(retry())
  }
}

/** Spares the disk a batch without changes. The caller must know that nothing else changes the condition meanwhile. */
export const writeIf = async (
  database: Pick<Database, "read" | "write">,
  condition: string,
  batch: readonly Statement[],
  args: Statement["args"] = [],
): Promise<readonly Result[]> =>
  (await database.read(`SELECT 1 WHERE ${condition}`, args)).length === 0 ? [] : database.write(batch)

/** Resolves to whether a batch was stored; false if the database refused it. */
export const isAccepted = async (written: Promise<unknown>): Promise<boolean> => {
  const refused = await written.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (refused !== undefined && !isProblem(refused, "database_refused")) throw refused
  return refused === undefined
}

/** Resolves once batches of the group of a refused batch are readable: it is refused before the others commit. */
export const groupCommitted = async (database: Pick<Database, "write">): Promise<void> => {
  await database.write([{sql: "SELECT 1"}])
}
