import {accessSync, chmodSync, closeSync, constants, existsSync, openSync, renameSync, rmSync, statSync} from "node:fs"
import {dirname} from "node:path"
import type {Client} from "@libsql/client/sqlite3"
import {messageOf, Problem} from "../../../shared/problems.ts"
import {makePrivateFolderSync, syncNow} from "../../runtime/files.ts"
import {quoted} from "./cells.ts"
import type {RescuedFile} from "./engine.ts"

/** Creates a missing file, which the driver would make readable by others. Throws `database_unopenable`. */
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

/**
 * Writes the data of a connection into a new file that only its owner may read. Complete and durable when it resolves;
 * until then it has another name. Blocks the event loop, since only this connection still reaches the old file. Throws
 * `rescue_failed`.
 */
export const rescueInto = async (client: Client, target: string): Promise<RescuedFile> => {
  const partial = `${target}.partial`
  const failed = (why: string, cause?: unknown) =>
    new Problem("rescue_failed", `the rescue to ${target} failed: ${why}`, {cause})
  if (existsSync(target)) throw failed("it already exists")
  try {
    removePartial(partial)
    // SQLite would make the file readable by others. It accepts an existing empty file.
    closeSync(openSync(partial, "wx", 0o600))
    await copyInto(client, partial, target)
    return {path: target, size: statSync(target).size, rows: await countRows(client)}
  } catch (cause) {
    removePartial(partial)
    throw failed(messageOf(cause), cause)
  }
}

/** Copies a connection's data into a new file that only its owner may read, durably; as `partial` until it is complete. */
export const copyInto = async (client: Client, partial: string, target: string): Promise<void> => {
  await client.execute({sql: "VACUUM INTO ?", args: [partial]})
  chmodSync(partial, 0o600)
  syncNow(partial)
  renameSync(partial, target)
  syncNow(dirname(target))
}

const removePartial = (partial: string): void => {
  for (const end of ["", "-journal"]) rmSync(`${partial}${end}`, {force: true})
}

const countRows = async (client: Client): Promise<number> => {
  const tables = await client.execute(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
  )
  let rows = 0
  for (const {name} of tables.rows) rows += await countTable(client, String(name))
  return rows
}

export const countTable = async (client: Client, table: string): Promise<number> =>
  Number((await client.execute(`SELECT count(*) AS n FROM ${quoted(table)}`)).rows[0]?.n ?? 0)
