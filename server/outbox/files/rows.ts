import {toJson} from "../../../shared/json.ts"
import type {Reader, Statement} from "../../database/database.ts"

export interface FileRow {
  readonly sha256: string
  readonly size: number
}

/** The number and size of all stored files. */
export interface FileUsage {
  readonly count: number
  readonly bytes: number
}

const isNeeded = "EXISTS (SELECT 1 FROM outbox_files o WHERE o.sha256 = f.sha256)"

/** Returns the statement that stores the row of a file with durable bytes. A known file becomes as new as this one. */
export const storing = ({sha256, size}: FileRow, at: number): Statement => ({
  sql: `INSERT INTO files (sha256, size, stored_at) VALUES (?, ?, ?)
    ON CONFLICT (sha256) DO UPDATE SET size = excluded.size, stored_at = excluded.stored_at`,
  args: [sha256, size, at],
})

export const readUsage = async (database: Reader): Promise<FileUsage> => {
  const [row] = await database.read("SELECT count, bytes FROM file_totals WHERE id = 1")
  return {count: Number(row?.count), bytes: Number(row?.bytes)}
}

/** Returns at most `most` files behind `after`, in the order of their hashes. */
export const readFiles = async (database: Reader, after: string, most: number): Promise<readonly FileRow[]> => {
  const select = "SELECT sha256, size FROM files WHERE sha256 > ? ORDER BY sha256 LIMIT ?"
  const rows = await database.read(select, [after, most])
  return rows.map(row => ({sha256: String(row.sha256), size: Number(row.size)}))
}

/** Returns the files that the database does not know. */
export const readUnknown = async (database: Reader, hashes: readonly string[]): Promise<readonly string[]> => {
  const rows = await database.read(
    "SELECT value FROM json_each(?) WHERE NOT EXISTS (SELECT 1 FROM files f WHERE f.sha256 = value)",
    [toJson(hashes)],
  )
  return rows.map(({value}) => String(value))
}

/** Returns at most `most` files behind `after` that no row needs, stored before a time in milliseconds since 1970. */
export const readOrphans = async (
  database: Reader,
  before: number,
  after: string,
  most: number,
): Promise<readonly string[]> => {
  const rows = await database.read(
    `SELECT f.sha256 FROM files f WHERE f.stored_at < ? AND f.sha256 > ? AND NOT ${isNeeded} ORDER BY f.sha256 LIMIT ?`,
    [before, after, most],
  )
  return rows.map(({sha256}) => String(sha256))
}

/** Deletes the row of a file that no other row needs. Returns the row if it did. */
export const forgetting = (sha256: string, before: number): Statement => ({
  sql: `DELETE FROM files AS f WHERE f.sha256 = ? AND f.stored_at < ? AND NOT ${isNeeded} RETURNING sha256`,
  args: [sha256, before],
})

/** Returns whether this database has the tables of files. An older schema does not. */
export const hasFileTable = async (database: Reader): Promise<boolean> =>
  (await database.read("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'outbox_files'")).length > 0
