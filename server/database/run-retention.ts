import {counting, type RetentionPart} from "./retention.ts"
import {endReason} from "./runs.ts"

/** The newest run is the one that asks. */
const mayGo =
  "rowid > ?1 AND rowid <= ?2 AND rowid < (SELECT max(rowid) FROM svc_runs) AND (started_at < ?3 OR rowid <= ?4)"

/** Runs of the Host; how many ended in which way stays known. */
export const runsPart: RetentionPart = {
  name: "runs",
  table: "svc_runs",
  number: "rowid",
  at: "started_at",
  count: `SELECT count(*) AS rows FROM svc_runs WHERE ${mayGo}`,
  drop: [
    counting(
      "runs",
      `SELECT json_array(exit_code, ${endReason}) AS detail, count(*) AS rows FROM svc_runs WHERE ${mayGo} GROUP BY 1`,
    ),
    `DELETE FROM svc_runs WHERE ${mayGo}`,
  ],
}
