import {statfsSync} from "node:fs"
import {createClient} from "@libsql/client/sqlite3"

/** The size of a row, in bytes, as of a typical message. */
const rowSize = 2000
const rowsAtOnce = 10_000

/** Fills a database that no process has open, up to about this many bytes. */
export const fillDatabase = async (file: string, bytes: number): Promise<void> => {
  const client = createClient({url: `file:${file}`, concurrency: 1})
  await client.execute("PRAGMA synchronous=OFF")
  await client.execute("CREATE TABLE ballast (id INTEGER PRIMARY KEY, body BLOB NOT NULL)")
  const ids = JSON.stringify(Array.from({length: rowsAtOnce}, (_, index) => index))
  for (let written = 0; written < bytes; written += rowSize * rowsAtOnce) {
    await client.execute({
      sql: `INSERT INTO ballast (body) SELECT randomblob(${rowSize}) FROM json_each(?)`,
      args: [ids],
    })
  }
  await client.execute("PRAGMA wal_checkpoint(TRUNCATE)")
  client.close()
}

/** Throws if the folder's file system has less free space than this many bytes. */
export const requireRoom = (folder: string, bytes: number): void => {
  const {bavail, bsize} = statfsSync(folder)
  if (bavail * bsize < bytes) throw new Error(`${folder} has less than ${bytes / 1e9} GB of room`)
}
