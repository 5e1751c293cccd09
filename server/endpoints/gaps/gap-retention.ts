import {counting, plainPart, type RetentionPart} from "../../database/retention/retention.ts"
import {bucketOfGap, timeOfGaps} from "./gap-lengths.ts"

const condition = "seq > ?1 AND seq <= ?2 AND to_at IS NOT NULL AND (to_at < ?3 OR seq <= ?4)"
const detail = `json_array(endpoint, reason, ${bucketOfGap})`

const part = plainPart({name: "gaps", table: "endpoint_gaps", number: "seq", at: "from_at", condition, detail})

/** Ended gaps. The number and lengths of an endpoint's gaps stay known, by reason. */
export const gapsPart: RetentionPart = {
  ...part,
  drop: [
    counting(
      "gapTime",
      `SELECT ${detail} AS detail, ${timeOfGaps} AS rows FROM endpoint_gaps WHERE ${condition} GROUP BY 1`,
    ),
    ...part.drop,
  ],
}
