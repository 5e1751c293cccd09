import type {Job} from "../../shared/api/scheduled/jobs.ts"
import {toJson} from "../../shared/json.ts"
import type {Database, Statement} from "../database/database.ts"

/** How far a job's due times are handled, and for which schedule. */
export interface JobState {
  readonly job: string
  readonly schedule: string
  readonly consideredAt: number
}

/** Returns a key that is equal for equal due times. A disabled job has none. */
export const scheduleKey = ({schedule, timezone, enabled}: Job): string =>
  enabled === false ? "" : toJson([schedule, timezone])

export const readJobStates = async (database: Database): Promise<ReadonlyMap<string, JobState>> => {
  const rows = await database.read("SELECT job, schedule, considered_at FROM job_states")
  return new Map(
    rows.map(row => [
      String(row.job),
      {job: String(row.job), schedule: String(row.schedule), consideredAt: Number(row.considered_at)},
    ]),
  )
}

/** Stores states, and deletes those of removed jobs. */
export const storingStates = (states: readonly JobState[], gone: readonly string[]): readonly Statement[] => [
  ...(states.length === 0
    ? []
    : [
        {
          sql: `INSERT INTO job_states (job, schedule, considered_at)
            SELECT value ->> 'job', value ->> 'schedule', value ->> 'consideredAt' FROM json_each(?) WHERE true
            ON CONFLICT (job) DO UPDATE SET schedule = excluded.schedule, considered_at = excluded.considered_at`,
          args: [toJson(states)],
        },
      ]),
  ...(gone.length === 0
    ? []
    : [{sql: "DELETE FROM job_states WHERE job IN (SELECT value FROM json_each(?))", args: [toJson(gone)]}]),
]
