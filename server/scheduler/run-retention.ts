import {plainPart} from "../database/retention/retention.ts"

/** Ended runs of jobs. Handled due times do not depend on them. */
export const jobRunsPart = plainPart({
  name: "jobRuns",
  table: "job_runs",
  number: "seq",
  at: "created_at",
  condition: "seq > ?1 AND seq <= ?2 AND state NOT IN ('queued', 'running') AND (ended_at < ?3 OR seq <= ?4)",
  detail: "state",
})
