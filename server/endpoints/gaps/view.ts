import {GapView, isPlanned} from "../../../shared/api/endpoints.ts"
import type {Database, Row} from "../../database/database.ts"
import {readNewest} from "../../database/lists/pages.ts"
import {rowReader} from "../../database/lists/rows.ts"

/** Returns the newest `most` gaps with a number below `before`, the newest first. */
export const readGaps = async (database: Database, before: number, most: number): Promise<readonly GapView[]> =>
  (await readNewest(database, "endpoint_gaps", {}, before, most)).map(viewGap)

const readGap = rowReader(GapView, {from: "from_at", to: "to_at"})

const viewGap = (row: Row): GapView => {
  const gap = readGap(row)
  return {...gap, planned: isPlanned(gap.reason)}
}
