import {toJson} from "../../../shared/json.ts"
import type {Database, Statement} from "../../database/database.ts"
import {takingOver} from "../../database/upkeep/adopting.ts"
import {queueingSummaries} from "./summaries.ts"

const open = "state IN ('queued', 'running', 'waiting')"
const ended = "state IN ('succeeded', 'failed', 'cancelled')"

/**
 * Returns the statements that hold unfinished runs of agents and their approvals; the first statement holds the runs. A run
 * keeps the reason why it waits, so that it can continue. Approvals of runs that have ended since are cancelled.
 */
export const holdingAgents = (at: number): readonly Statement[] => [
  {sql: `UPDATE agent_runs SET state = 'held', reason = 'restored' WHERE ${open}`},
  {
    sql: `UPDATE agent_approvals SET state = 'cancelled', decided_at = ? WHERE state IN ('waiting', 'held')
      AND run IN (SELECT seq FROM agent_runs WHERE ${ended})`,
    args: [at],
  },
  {sql: "UPDATE agent_approvals SET state = 'held' WHERE state = 'waiting'"},
  ...queueingSummaries(Number.MAX_SAFE_INTEGER, {now: at, held: true}),
]

const columns =
  "attempt answer message reason error steps tokens_in tokens_out tokens money active_ms started_at ended_at runtime_id".split(
    " ",
  )

/** Resolves to the statements for runs that are unfinished in the restored state, but have ended in the replaced one. */
export const knownAgentRuns = async (database: Database, replaced: Database): Promise<readonly Statement[]> => {
  if (!(await hasTable(replaced, "agent_runs"))) return []
  const found = `SELECT run_id, state, ${columns} FROM agent_runs
    WHERE ${ended} AND run_id IN (SELECT value ->> 'run_id' FROM json_each(?))`
  const runs = await takingOver(
    await database.read(`SELECT run_id FROM agent_runs WHERE ${open} OR state = 'held'`),
    rows => replaced.read(found, [toJson(rows)]),
    // The `+` makes SQLite find each row by its key.
    `UPDATE agent_runs SET state = r.value ->> 'state', waits_for = NULL, due_at = NULL,
      ${columns.map(column => `${column} = r.value ->> '${column}'`).join(", ")}
      FROM json_each(?) r WHERE agent_runs.run_id = r.value ->> 'run_id' AND +agent_runs.state IN ('queued', 'running', 'waiting', 'held')`,
  )
  // The end of a run starts another with what it was not told.
  return [...(await knownSaid(database, replaced)), ...runs]
}

const knownSaid = async (database: Database, replaced: Database): Promise<readonly Statement[]> => {
  if (!(await hasTable(replaced, "agent_said"))) return []
  const found = `SELECT request, told FROM agent_said WHERE request IN (SELECT value ->> 'request' FROM json_each(?))
    AND run IN (SELECT seq FROM agent_runs WHERE ${ended})`
  return takingOver(
    await database.read("SELECT request FROM agent_said WHERE told IS NULL"),
    rows => replaced.read(found, [toJson(rows)]),
    `UPDATE agent_said SET told = r.value ->> 'told' FROM json_each(?) r WHERE agent_said.request = r.value ->> 'request'`,
  )
}

const hasTable = async (database: Database, name: string): Promise<boolean> =>
  (await database.read("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", [name])).length > 0
