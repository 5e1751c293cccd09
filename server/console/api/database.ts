import {Compacted, CompactRequest, DatabaseInfo, DatabaseQuery} from "../../../shared/api/database.ts"
import type {Operation} from "../../../shared/sdk/route.ts"
import type {Static} from "../../../shared/type.ts"

/** What the Host lets these routes see. */
export interface CapacityService {
  info(tables: boolean): Promise<DatabaseInfo>
  compact(dryRun: boolean): Promise<Compacted>
}

export const showDatabase = (capacity: CapacityService): Operation => ({
  summary: "What the database takes, how it grows, and what was dropped from it",
  query: DatabaseQuery,
  response: {200: DatabaseInfo},
  handle: async (_, call) => call.json(DatabaseInfo, await capacity.info(call.query.tables === true)),
})

export const compactDatabase = (capacity: CapacityService): Operation => ({
  summary: "Drop what is kept no longer, and give what is unused back to the disk",
  body: CompactRequest,
  response: {200: Compacted},
  problems: ["compact_unavailable"],
  handle: async (_, call) => {
    const {dryRun = false} = (await call.body()) as Static<typeof CompactRequest>
    return call.json(Compacted, await capacity.compact(dryRun))
  },
})
