import {createHash} from "node:crypto"
import {closeSync, fstatSync, openSync, readSync} from "node:fs"
import {createInterface} from "node:readline/promises"
import {setTimeout as sleep} from "node:timers/promises"
import {pathToFileURL} from "node:url"
import {type Client, createClient} from "@libsql/client/sqlite3"
import {toJson} from "../../../shared/json.ts"
import {quoted} from "../engine/cells.ts"
import {copyInto, countTable} from "../engine/rescue.ts"

/**
 * A separate process for long work on the database file, so that the Host's event loop and writer continue. Prints one
 * JSON value at the end.
 *
 * - `snapshot <database> <partial> <target>` copies the database, under the first name until the copy is complete.
 * - `point` does the same, but first prints `ready` and waits for a line; it also hashes the copy.
 * - `check <database>` runs quick_check, `integrity <database>` runs integrity_check.
 * - `damage <database> <table>` looks at the files that a Host has open, then runs quick_check of each table behind this
 *   one; it prints each table's name, then a finding.
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
  return {...(await copy(client)), ...hash(target)}
}

const copy = async (client: Client) => {
  await copyInto(client, partial, target)
  client.close()
  return {ok: true}
}

const check = async (pragma = "quick_check") => {
  const client = await open()
  const {rows} = await client.execute(`PRAGMA ${pragma}(10)`)
  const findings = rows.map(row => String(row[pragma])).filter(text => text !== "ok")
  const versions = await client.execute("SELECT max(version) AS version FROM svc_migrations").catch(() => undefined)
  client.close()
  return {ok: findings.length === 0, findings, schema: Number(versions?.rows[0]?.version ?? 0)}
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
  return copy(client)
}

const readStart = (path: string, length: number) => {
  const file = openSync(path, "r")
  const start = Buffer.alloc(length)
  const read = readSync(file, start, 0, length, 0)
  const {size} = fstatSync(file)
  closeSync(file)
  return {start, size, isWhole: read === length}
}

/** What happened to the files, by their first bytes (https://www.sqlite.org/fileformat2.html). */
const wrongFile = () => {
  const {start, size, isWhole} = readStart(database, 100)
  if (!isWhole || start.toString("latin1", 0, 16) !== "SQLite format 3\0") return {path: database, how: "overwritten"}
  const pageSize = start.readUInt16BE(16) === 1 ? 65536 : start.readUInt16BE(16)
  const counts = start.readUInt32BE(24) === start.readUInt32BE(92)
  if (counts && size < start.readUInt32BE(28) * pageSize) return {path: database, how: "truncated"}
  const log = readStart(`${database}-wal`, 32)
  const isLog = log.size === 0 || (log.isWhole && log.start.readUInt32BE(0) >>> 1 === 0x377f0682 >>> 1)
  return isLog ? undefined : {path: `${database}-wal`, how: "truncated or overwritten"}
}

/** Looks again for a while: a checkpoint writes the first page before the last ones, and the Host may lack processor. */
const findWrongFile = async () => {
  for (const began = performance.now(); ; await sleep(100)) {
    const found = wrongFile()
    const patience = found?.how === "truncated" ? 10_000 : 500
    if (found === undefined || performance.now() - began > patience) return found
  }
}

/**
 * Looks at the files before SQLite opens them, because closing a file drops its locks. SQLite cannot restart the log
 * while a check reads, so the child pauses after each long one.
 */
const damage = async () => {
  const lost = await findWrongFile()
  if (lost !== undefined) return {ok: false, lost}
  const client = await open()
  const {rows} = await client.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0")
  const names = ["sqlite_schema", ...rows.map(row => String(row.name))].toSorted()
  for (const table of names.filter(name => name > partial)) {
    process.stdout.write(`${toJson({table})}\n`)
    const began = performance.now()
    const findings = await client.execute(`PRAGMA quick_check(${quoted(table)})`).then(
      checked => checked.rows.map(row => String(row.quick_check)),
      error => [error instanceof Error ? error.message : String(error)],
    )
    const finding = findings.find(text => text !== "ok")?.replace(/^\*\*\*.*\n/, "")
    if (finding !== undefined) process.stdout.write(`${toJson({table, finding})}\n`)
    const took = performance.now() - began
    if (took > 50) await sleep(took)
  }
  client.close()
  return {ok: true}
}

const tables = async () => {
  const client = await open()
  const {rows} = await client.execute(`SELECT s.tbl_name AS name, sum(d.pgsize) AS bytes
    FROM dbstat d JOIN sqlite_schema s ON s.name = d.name WHERE d.aggregate = 1 GROUP BY 1 ORDER BY 2 DESC`)
  const counted = []
  for (const {name, bytes} of rows)
    counted.push({name: String(name), rows: await countTable(client, String(name)), bytes: Number(bytes)})
  client.close()
  return {ok: true, tables: counted}
}

const tasks: Readonly<Record<string, () => Promise<object>>> = {
  snapshot: async () => copy(await open()),
  point,
  check,
  integrity: () => check("integrity_check"),
  damage,
  tables,
  rewrite,
}

try {
  process.stdout.write(toJson(await tasks[task ?? ""]?.()))
} catch (error) {
  process.stdout.write(toJson({ok: false, findings: [error instanceof Error ? error.message : String(error)]}))
}
