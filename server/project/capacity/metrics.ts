import {type Reading, type Readings, single, singleOrNone} from "../../../shared/metrics/readings.ts"
import type {Database, Location} from "../../database/database.ts"
import {readDropped} from "../../database/retention/retention.ts"
import {readStorage} from "../../database/upkeep/compact.ts"
import {leastFree} from "../../runtime/files.ts"
import type {DiskLimit} from "./disk-watch.ts"
import {readGrowth, readPages} from "./growth.ts"
import {retentionParts} from "./retention.ts"

/** The sizes of a database file; empty for a remote database, whose server has its own monitoring. */
export const readStoredSizes = async (location: Location): Promise<Partial<Readings>> => {
  if (location.dialect !== "sqlite") return {}
  const {file, log, free} = await readStorage(location.file)
  const taken = file + log
  return {
    svc_database_bytes: single(file),
    svc_database_wal_bytes: single(log),
    svc_database_capacity_ratio: single(taken / (taken + free)),
  }
}

/** The growth of the database, and the rows that retention has deleted. */
const readCapacity = async (database: Database) => {
  const [growth, dropped] = await Promise.all([readGrowth(database, Date.now()), readDropped(database)])
  const isLocal = database.location.dialect === "sqlite"
  const parts = retentionParts.map(({name}) => [name, dropped.get(name)] as const)
  return {
    svc_database_unused_bytes: isLocal ? single((await readPages(database)).unused) : [],
    svc_database_growth_bytes_per_day: singleOrNone(growth?.bytesPerDay),
    svc_retention_dropped_total: parts.map(([part, gone]) => ({labels: {part}, value: gone?.rows ?? 0})),
    svc_retention_undelivered_dropped_total: parts
      .filter(([part]) => part === "handled" || part === "sent")
      .map(([part, gone]) => ({labels: {part}, value: gone?.undelivered ?? 0})),
  }
}

/** The free space that decides whether ingress pauses. */
const readDisk = async ({folders, least}: DiskLimit) => ({
  svc_disk_free_bytes: single(await leastFree(folders)),
  svc_disk_minimum_free_bytes: single(least()),
})

export const capacityMetrics = (database: Database, disk: DiskLimit) =>
  [
    {group: "storage", read: () => readStoredSizes(database.location)},
    {group: "storage", read: () => readCapacity(database)},
    {group: "disk", read: () => readDisk(disk)},
  ] satisfies readonly Reading[]
