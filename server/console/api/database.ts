import {
  Compacted,
  CompactRequest,
  CompactTask,
  DatabaseCheck,
  DatabaseInfo,
  DatabaseQuery,
  LastCompaction,
  Rescued,
  RescueRequest,
} from "../../../shared/api/database.ts"
import type {Static} from "../../../shared/type.ts"
import {answering, type Operation} from "../operations.ts"

/** The part of the Host that these routes see. */
export interface CapacityService {
  info(tables: boolean): Promise<DatabaseInfo>
  plan(): Promise<Compacted>
  begin(): Promise<CompactTask>
  /** The current task, or the last one; null before the first. */
  readonly task: CompactTask | null
}

/** Looks for damaged pages. */
export interface DamageService {
  check(): Promise<DatabaseCheck>
}

/** Rescues the data of a lost or damaged database file. */
export interface RescueService {
  rescue(to?: string): Promise<Rescued>
}

export const rescueDatabase = answering({
  summary: "Write the data that the Host still holds of a lost or damaged database file to a new file",
  body: RescueRequest,
  answer: Rescued,
  problems: ["rescue_not_needed", "rescue_failed"],
  run: ({body}, held: RescueService) => held.rescue(body.to),
})

export const checkDatabase = (damage: DamageService): Operation => ({
  summary: "Look for damaged pages in each table of the database file; readiness reports them too",
  response: {200: DatabaseCheck},
  problems: ["database_failed"],
  handle: async (_, call) => call.json(DatabaseCheck, await damage.check()),
})

export const showDatabase = (capacity: CapacityService): Operation => ({
  summary: "The size of the database, its growth, and the rows that retention has deleted",
  query: DatabaseQuery,
  response: {200: DatabaseInfo},
  handle: async (_, call) => call.json(DatabaseInfo, await capacity.info(call.query.tables === true)),
})

export const compactDatabase = (capacity: CapacityService): Operation => ({
  summary:
    "Start to delete rows past their retention and to return unused space to the disk; a dry run answers immediately",
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
  summary: "The progress of the database's compaction, or the result of the last one",
  response: {200: LastCompaction},
  handle: (_, call) => call.json(LastCompaction, {task: capacity.task}),
})
