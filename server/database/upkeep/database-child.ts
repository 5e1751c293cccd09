import {createHash} from "node:crypto"
import {chmodSync, closeSync, fsyncSync, openSync, readSync, renameSync} from "node:fs"
import {dirname} from "node:path"
import {createInterface} from "node:readline/promises"
import {pathToFileURL} from "node:url"
import {type Client, createClient} from "@libsql/client/sqlite3"
import {toJson} from "../../../shared/json.ts"

/**
 * A separate process for long work on the database file, so that the Host's event loop and writer continue. Prints one
 * JSON value at the end.
 *
 * - `snapshot <database> <partial> <target>` copies the database, under the first name until the copy is complete.
 * - `point` does the same, but first prints `ready` and waits for a line; it also hashes the copy.
 * - `check <database>` runs quick_check, `integrity <database>` runs integrity_check.
 * - `tables <database>` counts rows and bytes.
 * - `rewrite` copies a file that no other process has open, and leaves its log empty.
 */
const [task, database = "", partial = "", target = ""] = process.argv.slice(2)

const open = async () => {
  const client = createClient({url: pathToFileURL(database).href, concurrency: 1, timeout: 2000})
  await client.execute("PRAGMA wal_autocheckpoint=0")
  await client.execute("PRAGMA synchronous=OFF")
  return client
}

const sync = (path: string) => {
  const file = openSync(path, "r")
  fsyncSync(file)
  closeSync(file)
}

const hash = (path: string) => {
  const sum = createHash("sha256")
  const chunk = Buffer.alloc(1 << 20)
  const file = openSync(path, "r")
  let size = 0
  for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) {
    size += read
    sum.update(chunk.subarray(0, read))
  }
  closeSync(file)
  return {size, sha256: sum.digest("hex")}
}

/** If the parent process is gone, nothing is begun: another process may have opened the file. */
const awaitGo = async () => {
  process.stdout.write("ready\n")
  const input = createInterface({input: process.stdin})
  const {value} = await input[Symbol.asyncIterator]().next()
  input.close()
  if (value !== "go") throw new Error("it was cancelled before it started")
}

const point = async () => {
  const client = await open()
  // Prepares before the signal, since writers wait for everything after it.
  await client.execute("SELECT count(*) FROM sqlite_master")
  await awaitGo()
  await copy(client)
  return {ok: true, ...hash(target)}
}

const snapshot = async () => {
  await copy(await open())
  return {ok: true}
}

const copy = async (client: Client) => {
  await client.execute({sql: "VACUUM INTO ?", args: [partial]})
  client.close()
  chmodSync(partial, 0o600)
  sync(partial)
  renameSync(partial, target)
  sync(dirname(target))
}

const check = async () => {
  const client = await open()
  const {rows} = await client.execute("PRAGMA quick_check(10)")
  const findings = rows.map(row => String(row.quick_check)).filter(text => text !== "ok")
  const versions = await client.execute("SELECT max(version) AS version FROM svc_migrations").catch(() => undefined)
  client.close()
  return {ok: findings.length === 0, findings, schema: Number(versions?.rows[0]?.version ?? 0)}
}

const integrity = async () => {
  const client = await open()
  const {rows} = await client.execute("PRAGMA integrity_check(10)")
  const findings = rows.map(row => String(row.integrity_check)).filter(text => text !== "ok")
  client.close()
  return {ok: findings.length === 0, findings}
}

/** Makes a copy, but first copies the log into the file, durably, so that the log stays empty. */
const rewrite = async () => {
  const client = await open()
  await client.execute("PRAGMA synchronous=FULL")
  // This writes to the file even if the setting is unchanged.
  await client.execute("PRAGMA auto_vacuum=INCREMENTAL")
  await awaitGo()
  const [log] = (await client.execute("PRAGMA wal_checkpoint(TRUNCATE)")).rows
  if (log?.busy !== 0) throw new Error("another process has it open")
  await copy(client)
  return {ok: true}
}

const tables = async () => {
  const client = await open()
  const {rows} = await client.execute(`SELECT s.tbl_name AS name, sum(d.pgsize) AS bytes
    FROM dbstat d JOIN sqlite_schema s ON s.name = d.name WHERE d.aggregate = 1 GROUP BY 1 ORDER BY 2 DESC`)
  const counted = []
  for (const {name, bytes} of rows) {
    const quoted = String(name).replaceAll('"', '""')
    const [row] = (await client.execute(`SELECT count(*) AS n FROM "${quoted}"`)).rows
    counted.push({name: String(name), rows: Number(row?.n), bytes: Number(bytes)})
  }
  client.close()
  return {ok: true, tables: counted}
}

const tasks: Readonly<Record<string, () => Promise<object>>> = {snapshot, point, check, integrity, tables, rewrite}

try {
  process.stdout.write(toJson(await tasks[task ?? ""]?.()))
} catch (error) {
  process.stdout.write(toJson({ok: false, findings: [error instanceof Error ? error.message : String(error)]}))
}
