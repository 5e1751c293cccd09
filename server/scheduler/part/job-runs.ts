import type {JobView, RunView} from "../../../shared/api/scheduled/jobs.ts"
import {toJson} from "../../../shared/json.ts"
import type {Database, Row} from "../../database/database.ts"
import {readNewest, textOrNull, timeOf} from "../../database/lists/pages.ts"

/** Adds to each job its run that ended last. */
export const withLastRuns = async (database: Database, views: readonly JobView[]): Promise<JobView[]> => {
  const rows = await database.read(
    `SELECT r.* FROM json_each(?) AS each JOIN job_runs r ON r.seq =
      (SELECT seq FROM job_runs WHERE job = each.value AND ended_at IS NOT NULL ORDER BY seq DESC LIMIT 1)`,
    [toJson(views.map(({id}) => id))],
  )
  const last = new Map(
    rows.map(viewJobRun).map(({job, runId, state, reason, endedAt}) => [job, {runId, state, reason, endedAt}]),
  )
  return views.map(view => ({...view, lastRun: last.get(view.id) ?? null}))
}

/** Returns the newest `most` runs with a number below `before`, the newest first. */
export const readJobRuns = async (
  database: Database,
  wanted: Readonly<Record<string, unknown>>,
  before: number,
  most: number,
): Promise<readonly RunView[]> => (await readNewest(database, "job_runs", wanted, before, most)).map(viewJobRun)

export const findJobRun = async (database: Database, id: string): Promise<RunView | undefined> => {
  const [row] = await database.read("SELECT * FROM job_runs WHERE run_id = ?", [id])
  return row === undefined ? undefined : viewJobRun(row)
}

export const viewJobRun = (row: Row): RunView => ({
  kind: "job",
  runId: String(row.run_id),
  seq: Number(row.seq),
  job: String(row.job),
  trigger: row.cause as RunView["trigger"],
  state: row.state as RunView["state"],
  scheduledFor: timeOf(row.scheduled_for) ?? "",
  missedFrom: timeOf(row.missed_from),
  reason: textOrNull(row.reason),
  error: textOrNull(row.error),
  createdAt: timeOf(row.created_at) ?? "",
  startedAt: timeOf(row.started_at),
  endedAt: timeOf(row.ended_at),
  runtimeId: textOrNull(row.runtime_id),
})
