import {type GapReason, type GapView, isPlanned} from "../../../shared/api/endpoints.ts"
import type {Row} from "../../database/database.ts"
import {timeOf} from "../../database/lists/pages.ts"

export const viewGap = (row: Row): GapView => {
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
