import {endReason} from "../runs.ts"
import {plainPart} from "./retention.ts"

/** Runs of the Host, except the current one. The counts of their ends stay. */
export const runsPart = plainPart({
  name: "runs",
  table: "svc_runs",
  number: "rowid",
  at: "started_at",
  condition:
    "rowid > ?1 AND rowid <= ?2 AND rowid < (SELECT max(rowid) FROM svc_runs) AND (started_at < ?3 OR rowid <= ?4)",
  detail: `json_array(exit_code, ${endReason})`,
})
