import type {JobView, RunState, RunView} from "../../../../shared/api/scheduled/jobs.ts"
import {toJson} from "../../../../shared/json.ts"
import type {Row} from "../../../../shared/sdk/plugin/database.ts"
import type {Database} from "../../../database/database.ts"
import {timeOf} from "../../paging.ts"

interface Wanted {
  readonly job: string | undefined
  readonly state: RunState | undefined
}

/** A filter that is not set adds no condition, so that the index of the others is used. */
const filterOf = (wanted: Wanted) => {
  const given = Object.entries(wanted).flatMap(([column, value]) => (value === undefined ? [] : [{column, value}]))
  return {conditions: given.map(({column}) => `${column} = ?`), values: given.map(({value}) => value)}
}

/** Reads at most `most` runs of jobs with numbers below `before`, newest first. */
export const readJobRuns = async (
  database: Database,
  wanted: Wanted,
  before: number,
  most: number,
): Promise<RunView[]> => {
  const {conditions, values} = filterOf(wanted)
  const where = ["seq < ?", ...conditions].join(" AND ")
  const rows = await database.read(`SELECT * FROM job_runs WHERE ${where} ORDER BY seq DESC LIMIT ?`, [
    before,
    ...values,
    most,
  ])
  return rows.map(viewRun)
}

/** Adds to each job its run that ended last. */
export const withLastRuns = async (database: Database, views: readonly JobView[]): Promise<JobView[]> => {
  const rows = await database.read(
    `SELECT r.* FROM json_each(?) AS each JOIN job_runs r ON r.seq =
      (SELECT seq FROM job_runs WHERE job = each.value AND ended_at IS NOT NULL ORDER BY seq DESC LIMIT 1)`,
    [toJson(views.map(({id}) => id))],
  )
  const last = new Map(
    rows.map(viewRun).map(({job, runId, state, reason, endedAt}) => [job, {runId, state, reason, endedAt}]),
  )
  return views.map(view => ({...view, lastRun: last.get(view.id) ?? null}))
}

/** A job's run by its id. */
export const findJobRun = async (database: Database, id: string): Promise<RunView | undefined> => {
  const [row] = await database.read("SELECT * FROM job_runs WHERE run_id = ?", [id])
  return row === undefined ? undefined : viewRun(row)
}

const textOrNull = (value: unknown): string | null => (value === null || value === undefined ? null : String(value))

const viewRun = (row: Row): RunView => ({
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
