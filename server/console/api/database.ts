import {
  Compacted,
  CompactRequest,
  CompactTask,
  DatabaseInfo,
  DatabaseQuery,
  LastCompaction,
  Rescued,
  RescueRequest,
} from "../../../shared/api/database.ts"
import type {Operation} from "../../../shared/sdk/route.ts"
import type {Static} from "../../../shared/type.ts"

/** What the Host lets these routes see. */
export interface CapacityService {
  info(tables: boolean): Promise<DatabaseInfo>
  plan(): Promise<Compacted>
  begin(): Promise<CompactTask>
  /** What is being done, or was done last; null before the first. */
  readonly task: CompactTask | null
}

/** Who still holds a database whose file was removed or replaced. */
export interface RescueService {
  rescue(to?: string): Promise<Rescued>
}

export const rescueDatabase = (held: RescueService): Operation => ({
  summary: "Write what the Host holds of a removed or replaced database file into a new one",
  body: RescueRequest,
  response: {200: Rescued},
  problems: ["rescue_not_needed", "rescue_failed"],
  handle: async (_, call) => {
    const {to} = (await call.body()) as Static<typeof RescueRequest>
    return call.json(Rescued, await held.rescue(to))
  },
})

export const showDatabase = (capacity: CapacityService): Operation => ({
  summary: "What the database takes, how it grows, and what was dropped from it",
  query: DatabaseQuery,
  response: {200: DatabaseInfo},
  handle: async (_, call) => call.json(DatabaseInfo, await capacity.info(call.query.tables === true)),
})

export const compactDatabase = (capacity: CapacityService): Operation => ({
  summary:
    "Begin to drop what is kept no longer, and to give what is unused back to the disk; a dry run answers at once",
  body: CompactRequest,
  response: {200: Compacted, 202: CompactTask},
  problems: ["compact_unavailable", "compact_busy"],
  handle: async (_, call) => {
    const {dryRun = false} = (await call.body()) as Static<typeof CompactRequest>
    return dryRun
      ? call.json(Compacted, await capacity.plan())
      : call.json(CompactTask, await capacity.begin(), {status: 202})
  },
})

export const showCompaction = (capacity: CapacityService): Operation => ({
  summary: "How far the compaction of the database is, or how the last one ended",
  response: {200: LastCompaction},
  handle: (_, call) => call.json(LastCompaction, {task: capacity.task}),
})
