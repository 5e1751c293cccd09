import {type GapReason, GapView, isPlanned} from "../../../shared/api/endpoints.ts"
import {PageQuery} from "../../../shared/api/paging.ts"
import type {Row} from "../../../shared/sdk/plugin/database.ts"
import type {Operation} from "../../../shared/sdk/route.ts"
import type {Database} from "../../database/database.ts"
import {newestFirst, readNewest, timeOf} from "../paging.ts"

export const listGaps = (database: Database): Operation =>
  newestFirst({
    summary: "Gaps: when endpoints without history may have missed messages, newest first",
    query: PageQuery,
    item: GapView,
    numberOf: ({seq}) => seq,
    read: async (_, before, most) => (await readNewest(database, "endpoint_gaps", {}, before, most)).map(viewGap),
  })

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
