import {counting, type RetentionPart} from "../database/retention.ts"

const mayGo = "seq > ?1 AND seq <= ?2 AND state NOT IN ('queued', 'running') AND (ended_at < ?3 OR seq <= ?4)"

/** Runs of jobs that have ended. What a job is considered up to does not depend on them. */
export const jobRunsPart: RetentionPart = {
  name: "jobRuns",
  table: "job_runs",
  number: "seq",
  at: "created_at",
  count: `SELECT count(*) AS rows FROM job_runs WHERE ${mayGo}`,
  drop: [
    counting("jobRuns", `SELECT state AS detail, count(*) AS rows FROM job_runs WHERE ${mayGo} GROUP BY 1`),
    `DELETE FROM job_runs WHERE ${mayGo}`,
  ],
}
