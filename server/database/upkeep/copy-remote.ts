import type {InValue, Transaction} from "@libsql/client/http"
import {LibsqlError} from "@libsql/core/api"
import {Problem} from "../../../shared/problems.ts"
import {quoted} from "../engine/cells.ts"
import type {Row} from "../engine/engine.ts"
import {createKeepingClient} from "../engine/prepared.ts"
import {connect, type RemoteAddress, unreachable} from "../remote/remote.ts"

/** Receives the table that is being copied, and how many of its rows are copied. */
export type Copied = (table: string, rows: number) => void

/** Rows of one request. If the server rejects the answer as too large, the next request asks for fewer. */
const pageSize = 500

interface Table {
  readonly name: string
  readonly sql: string
  readonly columns: readonly string[]
  /** The columns that order its rows for reading. */
  readonly key: readonly string[]
}

/**
 * Copies a remote database into a new file, as of one moment: reads it in one transaction, page by page, while others
 * write, and without their lease. Throws `database_unopenable`, and `migration_refused` for a table that cannot be
 * copied this way.
 */
export const copyRemote = async (address: RemoteAddress, file: string, copied: Copied = () => {}): Promise<void> => {
  // Copies every integer that SQLite can store without loss.
  const client = connect(address, {intMode: "bigint"})
  const target = createKeepingClient(file, 250)
  const store: Store = statements => target.migrate([...statements])
  try {
    const transaction = await client.transaction("deferred")
    try {
      await target.executeMultiple("PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF")
      const {tables, others} = await readSource(transaction)
      await store(tables.map(({sql}) => ({sql, args: []})))
      for (const table of tables) await copyRows(transaction, table, store, copied)
      await copySequences(transaction, store)
      await store(others.map(sql => ({sql, args: []})))
    } finally {
      transaction.close()
    }
  } catch (cause) {
    throw cause instanceof Problem ? cause : unreachable(address, cause)
  } finally {
    client.close()
    target.close()
  }
}

type Read = (sql: string, ...args: InValue[]) => Promise<readonly Row[]>

const reading =
  (transaction: Transaction): Read =>
  async (sql, ...args) =>
    (await transaction.execute({sql, args})).rows as unknown as Row[]

/** Resolves to the tables, and to the indexes, views and triggers, which are created after the rows. */
const readSource = async (transaction: Transaction) => {
  const read = reading(transaction)
  const found = await read(
    "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT GLOB 'sqlite_*' ORDER BY rowid",
  )
  const all = found.filter(({name}) => !isMadeAgain(String(name)))
  const virtual = all.find(({sql}) => /^CREATE\s+VIRTUAL\b/i.test(String(sql)))
  if (virtual !== undefined) throw notCopied(String(virtual.name))
  const tables: Table[] = []
  for (const {name, sql} of all.filter(({type}) => type === "table"))
    tables.push(await readTable(read, String(name), String(sql)))
  return {tables, others: all.filter(({type}) => type !== "table").map(({sql}) => String(sql))}
}

/** The indexes of messages and memories, with their tables and triggers. A Host rebuilds them. */
const isMadeAgain = (name: string): boolean => /^(message|memory)_index(_|$)/.test(name)

const notCopied = (table: string) =>
  new Problem(
    "migration_refused",
    `a dry run needs a copy of the database, and svc cannot copy the virtual table ${table}`,
    {
      hint: "Restore a backup of the database to another address. Then run svc database migrate in a copy of the project whose database.url is that address.",
    },
  )

const readTable = async (read: Read, name: string, sql: string): Promise<Table> => {
  // Writers of a row do not store generated and hidden columns.
  const columns = await read("SELECT name, pk FROM pragma_table_xinfo(?) WHERE hidden = 0 ORDER BY cid", name)
  const [kind] = await read("SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ?", name)
  const primary = columns.filter(({pk}) => Number(pk) > 0).sort((one, other) => Number(one.pk) - Number(other.pk))
  return {
    name,
    sql,
    columns: columns.map(column => String(column.name)),
    key: Number(kind?.wr) === 1 ? primary.map(column => String(column.name)) : ["_rowid_"],
  }
}

const listed = (names: readonly string[]): string => names.map(quoted).join(", ")

const places = (count: number): string => Array(count).fill("?").join(", ")

type Store = (statements: readonly {sql: string; args: InValue[]}[]) => Promise<unknown>

const copyRows = async (transaction: Transaction, table: Table, store: Store, copied: Copied): Promise<void> => {
  const {name, columns, key} = table
  // The key of a table with rowids must not be quoted: a quoted name that is no column would be a text.
  const order = key[0] === "_rowid_" ? "_rowid_" : listed(key)
  const insert = `INSERT INTO ${quoted(name)} (${listed(columns)}) VALUES (${places(columns.length)})`
  let last: InValue[] | undefined
  let limit = pageSize
  for (let rows = 0; ; ) {
    const after = last === undefined ? "" : `WHERE (${order}) > (${places(key.length)})`
    const sql = `SELECT ${order}, ${listed(columns)} FROM ${quoted(name)} ${after} ORDER BY ${order} LIMIT ${limit}`
    const page = await transaction.execute({sql, args: last ?? []}).catch(error => {
      if (limit > 1 && error instanceof LibsqlError && error.code === "RESPONSE_TOO_LARGE") return undefined
      throw error
    })
    if (page === undefined) {
      limit = Math.ceil(limit / 2)
      continue
    }
    const values = page.rows.map(row => Array.from(row) as InValue[])
    if (values.length > 0) await store(values.map(row => ({sql: insert, args: row.slice(key.length)})))
    rows += values.length
    copied(name, rows)
    last = values.at(-1)?.slice(0, key.length)
    if (values.length < limit) return
  }
}

/** Copies the highest numbers that were ever assigned, which may be above the existing rows. */
const copySequences = async (transaction: Transaction, store: Store): Promise<void> => {
  const read = reading(transaction)
  if ((await read("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_sequence'")).length === 0) return
  const rows = await read("SELECT name, seq FROM sqlite_sequence")
  await store([
    {sql: "DELETE FROM sqlite_sequence", args: []},
    ...rows.map(({name, seq}) => ({
      sql: "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)",
      args: [name ?? null, seq ?? null],
    })),
  ])
}
