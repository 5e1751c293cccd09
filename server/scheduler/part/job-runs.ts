import {type JobView, RunView} from "../../../shared/api/scheduled/jobs.ts"
import {toJson} from "../../../shared/json.ts"
import type {Database} from "../../database/database.ts"
import {readNewest} from "../../database/lists/pages.ts"
import {rowReader} from "../../database/lists/rows.ts"

export const viewJobRun = rowReader(RunView, {trigger: "cause"})

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
