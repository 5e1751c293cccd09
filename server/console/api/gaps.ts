import {GapView, PageQuery, page} from "../../../shared/api/api.ts"
import type {Row} from "../../../shared/sdk/plugin-database.ts"
import type {Operation} from "../../../shared/sdk/route.ts"
import type {Static} from "../../../shared/type.ts"
import type {Database} from "../../database/database.ts"
import {readPage, timeOf, toPage} from "../paging.ts"

const GapPage = page(GapView)

export const listGaps = (database: Database): Operation => ({
  summary: "When endpoints without history were away, newest first",
  query: PageQuery,
  response: {200: GapPage},
  handle: async (_, call) => {
    const {limit, before} = readPage(call)
    const rows = await database.read("SELECT * FROM endpoint_gaps WHERE seq < ? ORDER BY seq DESC LIMIT ?", [
      before,
      limit + 1,
    ])
    return call.json(
      GapPage,
      toPage(rows.map(viewGap), limit, ({seq}) => seq),
    )
  },
})

const viewGap = (row: Row): Static<typeof GapView> => ({
  seq: Number(row.seq),
  endpoint: String(row.endpoint),
  from: timeOf(row.from_at) ?? "",
  to: timeOf(row.to_at),
  reason: row.reason as Static<typeof GapView>["reason"],
})
