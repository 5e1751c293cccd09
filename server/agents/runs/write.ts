import {isProblem} from "../../../shared/problems.ts"
import type {Statement} from "../../../shared/sdk/session/database.ts"
import {readCell} from "../../database/engine/cells.ts"
import type {Result} from "../../database/engine/engine.ts"
import {groupCommitted, persist} from "../../database/persist.ts"
import {AttemptOver, type Engine} from "./engine.ts"
import {type AgentRun, assertAttempt, selectIsRunning} from "./run-rows.ts"

type Attempt = Pick<AgentRun, "seq" | "attempt" | "runId">

/**
 * Stores a batch of an attempt, and waits if the database fails. `isStored` returns whether an earlier attempt stored
 * it although its answer was lost. Throws `AttemptOver` if the run no longer belongs to this attempt, and
 * `database_refused` if a statement is at fault.
 */
export const writeFenced = async (
  {database, log}: Pick<Engine, "database" | "log">,
  run: Attempt,
  batch: readonly Statement[],
  isStored: () => Promise<boolean>,
): Promise<readonly Result[]> => {
  try {
    return (await persist(`run ${run.runId}`, log, () => database.write([assertAttempt(run), ...batch]))).slice(1)
  } catch (error) {
    if (!isProblem(error, "database_refused")) throw error
    await persist(`run ${run.runId}`, log, () => groupCommitted(database))
    if (await persist(`run ${run.runId}`, log, isStored)) return []
    const rows = await persist(`run ${run.runId}`, log, () => database.read(selectIsRunning, [run.seq, run.attempt]))
    throw rows.length === 0 ? new AttemptOver("another attempt now has the run") : error
  }
}

/** Whether a step's row has one of these states. */
export const isStep =
  ({database}: Pick<Engine, "database">, run: number, n: number, states: readonly string[]) =>
  async (): Promise<boolean> =>
    states.includes(String(await readCell(database, "SELECT state FROM agent_steps WHERE run = ? AND n = ?", [run, n])))

/** Whether a run's row has one of these states. */
export const isRun =
  ({database}: Pick<Engine, "database">, {seq, attempt}: Attempt, states: readonly string[]) =>
  async (): Promise<boolean> => {
    const select = "SELECT state FROM agent_runs WHERE seq = ? AND attempt = ?"
    return states.includes(String(await readCell(database, select, [seq, attempt])))
  }

/** For a batch that may be stored twice. */
export const never = async (): Promise<boolean> => false
