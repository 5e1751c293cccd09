import {counting, type RetentionPart} from "../database/retention.ts"

const mayGo = "seq > ?1 AND seq <= ?2 AND to_at IS NOT NULL AND (to_at < ?3 OR seq <= ?4)"

/** Gaps that have ended; how many each endpoint had, for which reason, stays known. */
export const gapsPart: RetentionPart = {
  name: "gaps",
  table: "endpoint_gaps",
  number: "seq",
  at: "from_at",
  count: `SELECT count(*) AS rows FROM endpoint_gaps WHERE ${mayGo}`,
  drop: [
    counting(
      "gaps",
      `SELECT json_array(endpoint, reason) AS detail, count(*) AS rows FROM endpoint_gaps WHERE ${mayGo} GROUP BY endpoint, reason`,
    ),
    `DELETE FROM endpoint_gaps WHERE ${mayGo}`,
  ],
}
