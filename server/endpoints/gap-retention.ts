import {plainPart} from "../database/upkeep/retention.ts"

/** Gaps that have ended; how many each endpoint had, for which reason, stays known. */
export const gapsPart = plainPart({
  name: "gaps",
  table: "endpoint_gaps",
  number: "seq",
  at: "from_at",
  condition: "seq > ?1 AND seq <= ?2 AND to_at IS NOT NULL AND (to_at < ?3 OR seq <= ?4)",
  detail: "json_array(endpoint, reason)",
})
