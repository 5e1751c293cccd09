import {toJson} from "../../../shared/json.ts"
import {isProblem} from "../../../shared/problems.ts"
import type {Reader, Statement} from "../../database/database.ts"
import {readCell} from "../../database/engine/cells.ts"
import {groupCommitted, persist} from "../../database/persist.ts"
import type {OutboxDraft} from "../../outbox/draft.ts"
import {inserting} from "../../outbox/rows.ts"
import {AttemptOver, type Engine} from "./engine.ts"
import {type AgentRun, assertAttempt, selectIsRunning} from "./run-rows.ts"

type Attempt = Pick<AgentRun, "seq" | "attempt" | "runId">

/** Whether a batch of the attempt was stored. */
export type IsStored = (database: Reader, run: Attempt) => Promise<boolean>

/** Returns the statement that stores messages, for the batch of their change. */
export const storing = (drafts: readonly OutboxDraft[], at: number): readonly Statement[] =>
  drafts.length === 0
    ? []
    : [inserting(drafts.map(draft => ({draft, content: toJson(draft.content), at, turn: undefined})))]

/**
 * Stores a batch of an attempt together with the messages `sends`, and waits if the database fails. `isStored` returns
 * whether an earlier attempt stored it although its answer was lost. Throws `AttemptOver` if the run no longer belongs
 * to this attempt, and `database_refused` if a statement is at fault.
 */
export const writeFenced = async (
  {database, log, clock, outbox}: Pick<Engine, "database" | "log" | "clock" | "outbox">,
  run: Attempt,
  batch: readonly Statement[],
  isStored: IsStored,
  sends: readonly OutboxDraft[] = [],
): Promise<void> => {
  const whole = [assertAttempt(run), ...batch, ...storing(sends, clock.now())]
  const wait = <T>(work: () => Promise<T>) => persist(`run ${run.runId}`, log, work)
  await wait(() => database.write(whole)).catch(async error => {
    if (!isProblem(error, "database_refused")) throw error
    await wait(() => groupCommitted(database))
    if (await wait(() => isStored(database, run))) return
    const rows = await wait(() => database.read(selectIsRunning, [run.seq, run.attempt]))
    throw rows.length === 0 ? new AttemptOver("another attempt now has the run") : error
  })
  outbox.stored(sends)
}

export const stepIs =
  (n: number, state: string): IsStored =>
  async (database, {seq}) =>
    (await readCell(database, "SELECT state FROM agent_steps WHERE run = ? AND n = ?", [seq, n])) === state

export const runIs =
  (...states: readonly string[]): IsStored =>
  async (database, {seq, attempt}) => {
    const select = "SELECT state FROM agent_runs WHERE seq = ? AND attempt = ?"
    return states.includes(String(await readCell(database, select, [seq, attempt])))
  }

/** For a batch that may be stored twice. */
export const never: IsStored = async () => false
