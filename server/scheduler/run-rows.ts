import type {Firing, RunState} from "../../shared/api/scheduled/jobs.ts"
import {toJson} from "../../shared/json.ts"
import type {RunTrigger} from "../../shared/sdk/plugin/job.ts"
import {assertThat, type Database, type Reader, type Statement} from "../database/database.ts"
import {jsonRows} from "../database/engine/json-rows.ts"
import {uuid} from "../runtime/uuid.ts"
import type {Planned} from "./consider.ts"

export type QueuedRun = Pick<Firing, "runId" | "job" | "scheduledFor" | "trigger">

/** A handled due time, before it is stored. */
export type Claim = Planned & {readonly runId: string; readonly job: string}

export const claimOf = (job: string, planned: Planned): Claim => ({...planned, runId: uuid(), job})

const consideredRows = jsonRows(["job", "at"])

/**
 * Stores claims, each due time of a job once, and up to when the jobs are handled. The last result has the ids of the
 * runs that these claims own, even if the database's first response was lost.
 */
export const claiming = (claims: readonly Claim[], upTo: ReadonlyMap<string, number>, now: number): Statement[] => [
  {
    sql: `INSERT INTO job_runs (run_id, job, cause, state, scheduled_for, missed_from, reason, created_at, ended_at)
      SELECT value ->> 'runId', value ->> 'job', value ->> 'trigger',
        CASE WHEN value ->> 'skipped' IS NULL THEN 'queued' ELSE 'skipped' END,
        value ->> 'scheduledFor', value ->> 'missedFrom', value ->> 'skipped', ?1,
        CASE WHEN value ->> 'skipped' IS NULL THEN NULL ELSE ?1 END
      FROM json_each(?2) WHERE true ON CONFLICT DO NOTHING`,
    args: [now, toJson(claims)],
  },
  {
    sql: `UPDATE job_states SET considered_at = max(considered_at, c.at)
      FROM ${consideredRows.source} c WHERE job_states.job = c.job`,
    args: [consideredRows.encode([...upTo].map(([job, at]) => ({job, at})))],
  },
  {
    sql: "SELECT run_id FROM job_runs WHERE state = 'queued' AND run_id IN (SELECT value FROM json_each(?))",
    args: [toJson(claims.map(({runId}) => runId))],
  },
]

/** Starts a run. Returns its row if the run may start: once, even if the database's first response was lost. */
export const beginning = (runId: string, runtimeId: string, now: number): Statement => ({
  sql: `UPDATE job_runs SET state = 'running', started_at = ?1, runtime_id = ?2
    WHERE run_id = ?3 AND (state = 'queued' OR (state = 'running' AND runtime_id = ?2)) RETURNING run_id`,
  args: [now, runtimeId, runId],
})

/** Fails the batch unless the run is still running. */
export const assertRunning = (runId: string): Statement =>
  assertThat("EXISTS (SELECT 1 FROM job_runs WHERE run_id = ? AND state = 'running')", [runId])

export interface End {
  readonly state: Extract<RunState, "succeeded" | "failed" | "cancelled">
  readonly reason?: string
  readonly error?: string
}

/** Ends a run that has not ended, and returns its row. */
export const ending = (runId: string, {state, reason, error}: End, now: number): Statement => ({
  sql: `UPDATE job_runs SET state = ?, reason = ?, error = ?, ended_at = ?
    WHERE run_id = ? AND state IN ('queued', 'running') RETURNING run_id, job`,
  args: [state, reason ?? null, error ?? null, now, runId],
})

/** Fails the runs in these states, whose Host can no longer end them. */
const failing = (states: string, reason: string, error: string, now: number): Statement => ({
  sql: `UPDATE job_runs SET state = 'failed', reason = ?, error = ?, ended_at = ?
    WHERE state IN (${states}) RETURNING run_id, job, scheduled_for`,
  args: [reason, error, now],
})

export const failingInterrupted = (now: number): Statement =>
  failing("'running'", "host_restarted", "the Host ended while the run was in progress; it is not repeated", now)

/** For a restored project, before a Host starts: times due up to `now` do not fire by themselves, open runs fail. */
export const settlingRestoredJobs = (now: number): readonly Statement[] => [
  {sql: "UPDATE job_states SET considered_at = max(considered_at, ?)", args: [now]},
  failing("'queued', 'running'", "restored", "the project was restored during the run, which is not repeated", now),
]

/** Returns claimed runs that have not started, in order. */
export const readQueued = async (database: Database): Promise<readonly QueuedRun[]> => {
  const rows = await database.read(
    "SELECT run_id, job, scheduled_for, cause FROM job_runs WHERE state = 'queued' ORDER BY seq",
  )
  return rows.map(row => ({
    runId: String(row.run_id),
    job: String(row.job),
    scheduledFor: Number(row.scheduled_for),
    trigger: row.cause as RunTrigger,
  }))
}

/** Returns how many runs ended in each way, since the first one. */
export const readJobTotals = async (database: Reader): Promise<Readonly<Record<string, number>>> => {
  const rows = await database.read("SELECT outcome, runs FROM job_run_totals")
  return Object.fromEntries(rows.map(({outcome, runs}) => [String(outcome), Number(runs)]))
}

/** Returns the runs that have not succeeded, by a condition on their rows. */
export const readUnfinished = (database: Reader, where: string, args: Statement["args"] = []) =>
  database.read(
    `SELECT run_id, job, state, reason, error, started_at, created_at FROM job_runs
      WHERE state NOT IN ('succeeded', 'skipped') AND ${where} ORDER BY seq`,
    args,
  )
