import {accessSync, closeSync, constants, openSync, statSync} from "node:fs"
import {dirname} from "node:path"
import type {Client} from "@libsql/client/sqlite3"
import {messageOf, Problem} from "../../../shared/problems.ts"
import {makePrivateFolderSync} from "../../runtime/files.ts"

/**
 * Creates the file if it is missing: the driver would make it readable by others. An existing file must only be opened
 * by the driver. Throws `database_unopenable`.
 */
export const prepareFile = (file: string): void => {
  try {
    const found = statSync(file, {throwIfNoEntry: false})
    if (found?.isDirectory()) throw new Error("it is a folder")
    if (found === undefined) {
      makePrivateFolderSync(dirname(file))
      closeSync(openSync(file, "ax", 0o600))
    }
    // SQLite silently opens a file without write permission for reading.
    else accessSync(file, constants.W_OK)
  } catch (cause) {
    throw new Problem("database_unopenable", `cannot open ${file}: ${messageOf(cause)}`, {cause})
  }
}

/** SQLite reads missing bytes at the end of the last page as zeros. Throws `database_corrupt`. */
export const requireWhole = async (client: Client, file: string): Promise<void> => {
  const [checkpoint] = (await client.execute("PRAGMA wal_checkpoint(TRUNCATE)")).rows
  if (checkpoint?.busy !== 0) return
  const expected = await sizeOf(client)
  const {size} = statSync(file)
  if (size < expected)
    throw new Problem("database_corrupt", `cannot open ${file}: it is truncated to ${size} of ${expected} bytes`)
}

/** Returns the size of the database's pages, in bytes. */
export const sizeOf = async (client: Client): Promise<number> => {
  const sizes = "SELECT page_count * page_size AS size FROM pragma_page_count, pragma_page_size"
  return Number((await client.execute(sizes)).rows[0]?.size)
}
