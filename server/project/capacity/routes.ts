import type {Compacted, CompactTask, DatabaseCheck, DatabaseInfo, Rescued} from "../../../shared/api/database.ts"
import {databaseOperations} from "../../../shared/api/operations/host.ts"
import {Reply, serve} from "../../../shared/api/operations/operation.ts"

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

export const databaseRoutes = (capacity: CapacityService, damage: DamageService, place: RescueService) =>
  serve(databaseOperations, {
    show: ({query}) => capacity.info(query.tables === true),
    compaction: () => ({task: capacity.task}),
    compact: async ({body: {dryRun = false}}) =>
      dryRun ? new Reply(200, await capacity.plan()) : new Reply(202, await capacity.begin()),
    check: () => damage.check(),
    rescue: ({body}) => place.rescue(body.to),
  })
