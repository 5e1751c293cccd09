import type {DatabaseInfo} from "../../../shared/api/database.ts"
import type {Database, Reader} from "../../database/database.ts"

/** The pages of a database file. Sizes in bytes. */
export interface Pages {
  readonly used: number
  readonly unused: number
  /** Whether the file can shrink in small steps. */
  readonly isIncremental: boolean
}

export const readPages = async (database: Reader): Promise<Pages> => {
  const [row] = await database.read(`SELECT page_size, page_count, freelist_count, auto_vacuum
    FROM pragma_page_size, pragma_page_count, pragma_freelist_count, pragma_auto_vacuum`)
  const size = Number(row?.page_size)
  const unused = Number(row?.freelist_count)
  return {
    used: (Number(row?.page_count) - unused) * size,
    unused: unused * size,
    isIncremental: Number(row?.auto_vacuum) === 2,
  }
}

/** In milliseconds: the interval of samples, how long they are kept, and the period over which growth is measured. */
const hour = 3_600_000
const aDay = 24 * hour
const kept = 32 * aDay
const lookedAt = 7 * aDay

/** Records the size of the database, at most once an hour. */
export const sample = async (database: Database, now: number): Promise<void> => {
  const {used} = await readPages(database)
  await database.write([
    // Deletes samples in the future too, which remain if the clock was set back.
    {sql: "DELETE FROM capacity_samples WHERE at < ? OR at > ?", args: [now - kept, now]},
    {
      sql: "INSERT INTO capacity_samples (at, bytes) SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM capacity_samples WHERE at > ?1 - ?3)",
      args: [now, used, hour - 60_000],
    },
  ])
}

export type Growth = NonNullable<DatabaseInfo["growth"]>

/** Resolves to undefined until the samples cover an hour. */
export const readGrowth = async (database: Database, now: number): Promise<Growth | undefined> => {
  const [row] = await database.read(
    `SELECT first.at AS first_at, first.bytes AS first_bytes, last.at AS last_at, last.bytes AS last_bytes
      FROM (SELECT at, bytes FROM capacity_samples WHERE at >= ? ORDER BY at LIMIT 1) AS first,
        (SELECT at, bytes FROM capacity_samples ORDER BY at DESC LIMIT 1) AS last`,
    [now - lookedAt],
  )
  const days = (Number(row?.last_at) - Number(row?.first_at)) / aDay
  if (!(days >= (hour - 60_000) / aDay)) return undefined
  const grown = Number(row?.last_bytes) - Number(row?.first_bytes)
  return {bytesPerDay: Math.round(grown / days), days: Math.round(days * 100) / 100}
}
