import {type GapReason, type GapView, isPlanned} from "../../../shared/api/endpoints.ts"
import type {Database, Row} from "../../database/database.ts"
import {readNewest, timeOf} from "../../database/lists/pages.ts"

/** Returns the newest `most` gaps with a number below `before`, the newest first. */
export const readGaps = async (database: Database, before: number, most: number): Promise<readonly GapView[]> =>
  (await readNewest(database, "endpoint_gaps", {}, before, most)).map(viewGap)

const viewGap = (row: Row): GapView => {
  const reason = row.reason as GapReason
  return {
    seq: Number(row.seq),
    endpoint: String(row.endpoint),
    from: timeOf(row.from_at) ?? "",
    to: timeOf(row.to_at),
    reason,
    planned: isPlanned(reason),
    backfill: row.backfill as GapView["backfill"],
  }
}
