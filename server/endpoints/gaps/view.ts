import {GapView, isPlanned} from "../../../shared/api/endpoints.ts"
import type {Database} from "../../database/database.ts"
import {readNewest} from "../../database/lists/pages.ts"
import {rowReader} from "../../database/lists/rows.ts"

const readGap = rowReader(GapView, {from: "from_at", to: "to_at"})

/** Returns the newest `most` gaps with a number below `before`, the newest first. */
export const readGaps = async (database: Database, before: number, most: number): Promise<readonly GapView[]> => {
  const gaps = (await readNewest(database, "endpoint_gaps", {}, before, most)).map(readGap)
  return gaps.map(gap => ({...gap, planned: isPlanned(gap.reason)}))
}
