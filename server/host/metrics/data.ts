import type {DiskLimit} from "../../capacity/disk-watch.ts"
import {readGrowth, readPages} from "../../capacity/growth.ts"
import {retentionParts} from "../../capacity/retention.ts"
import type {Database, Location} from "../../database/database.ts"
import {readDropped} from "../../database/retention/retention.ts"
import {readStorage} from "../../database/upkeep/compact.ts"
import {readInboxDepth} from "../../inbox/look-ups.ts"
import {by, type Readings, single, singleOrNone} from "../../metrics/readings.ts"
import {type ByEndpoint, readOutboxDepth} from "../../outbox/depths.ts"
import type {FileStore} from "../../outbox/files/store.ts"
import {freeSpace} from "../../runtime/files.ts"
import {countTimers} from "../../scheduler/timers/rows.ts"

export const noDepths = {
  svc_inbox_handlers: [],
  svc_inbox_oldest_age_seconds: [],
  svc_outbox_messages: [],
  svc_outbox_oldest_age_seconds: [],
  svc_outbox_unknown_messages: [],
  svc_dead_letters: [],
  svc_timers: [],
} satisfies Partial<Readings>

/** Counts the unfinished rows of the durable tables. Every endpoint has its series, even at zero. */
export const readDepths = async (database: Database, endpoints: readonly string[]) => {
  const [inbox, outbox, timers] = await Promise.all([
    readInboxDepth(database),
    readOutboxDepth(database),
    countTimers(database),
  ])
  const each = (found: ByEndpoint) =>
    [...new Set([...endpoints, ...found.keys()])].map(endpoint => ({
      labels: {endpoint},
      value: found.get(endpoint) ?? 0,
    }))
  const dead = (box: "inbox" | "outbox", found: ByEndpoint) =>
    each(found).map(({labels, value}) => ({labels: {...labels, box}, value}))
  return {
    svc_inbox_handlers: by("state", inbox.byState),
    svc_inbox_oldest_age_seconds: each(inbox.oldestAge),
    svc_outbox_messages: by("state", outbox.byState),
    svc_outbox_oldest_age_seconds: each(outbox.oldestAge),
    svc_outbox_unknown_messages: each(outbox.unknown),
    svc_dead_letters: [...dead("inbox", inbox.dead), ...dead("outbox", outbox.dead)],
    svc_timers: by("state", timers),
  } satisfies Partial<Readings>
}

export const noStorage = {
  svc_database_bytes: [],
  svc_database_wal_bytes: [],
  svc_database_capacity_ratio: [],
} satisfies Partial<Readings>

/** The sizes of a database file; empty for a remote database, whose server has its own monitoring. */
export const readStoredSizes = async (location: Location) => {
  if (location.dialect !== "sqlite") return noStorage
  const {file, log, free} = await readStorage(location.file)
  const taken = file + log
  return {
    svc_database_bytes: single(file),
    svc_database_wal_bytes: single(log),
    svc_database_capacity_ratio: single(taken / (taken + free)),
  } satisfies Partial<Readings>
}

export const noCapacity = {
  svc_database_unused_bytes: [],
  svc_database_growth_bytes_per_day: [],
  svc_retention_dropped_total: [],
  svc_retention_undelivered_dropped_total: [],
} satisfies Partial<Readings>

/** The growth of the database, and the rows that retention has deleted. */
export const readCapacity = async (database: Database) => {
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
  } satisfies Partial<Readings>
}

export const noFiles = {svc_files_bytes: [], svc_files_quota_bytes: []} satisfies Partial<Readings>

export const readFiles = async (files: Pick<FileStore, "usage" | "quota">) => {
  const {bytes} = await files.usage()
  return {svc_files_bytes: single(bytes), svc_files_quota_bytes: single(files.quota)} satisfies Partial<Readings>
}

export const noWatch = {svc_disk_free_bytes: [], svc_disk_minimum_free_bytes: []} satisfies Partial<Readings>

/** The free space that decides whether ingress pauses. */
export const readDisk = async ({folders, least}: DiskLimit) => ({
  svc_disk_free_bytes: single(Math.min(...(await Promise.all(folders.map(freeSpace))))),
  svc_disk_minimum_free_bytes: single(least()),
})
