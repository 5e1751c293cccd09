import {existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from "node:fs"
import {createRequire} from "node:module"
import {tmpdir} from "node:os"
import {join} from "node:path"
import {createClient} from "@libsql/client/http"
import {v7 as uuid} from "uuid"
import {onTestFinished, vi} from "vitest"
import {type Database, type Location, type OpenOptions, openDatabase} from "../../../server/database/database.ts"
import {prepareFile} from "../../../server/database/engine/rescue.ts"
import type {Migration} from "../../../server/database/migrations/migrations.ts"
import {whenOver} from "../host/shared.ts"
import {makeFolder} from "../machine/folders.ts"
import {type HranaServer, startHrana} from "./hrana-server.ts"

// What most tests with a database need besides it.
export {until} from "../host/process.ts"
export * from "../host/silence.ts"
export * from "../machine/folders.ts"
export * from "./hrana-server.ts"

const ownOptions = () => ({runtimeId: uuid(), signal: new AbortController().signal, onLeaseLost: () => {}})

/** Opens a database until the test ends: a copy of a migrated one, unless the test names the migrations. */
export const open = async (
  location: Location,
  {known, ...options}: Partial<OpenOptions> & {known?: readonly Migration[]} = {},
): Promise<Database> => {
  const file = location.dialect === "sqlite" ? location.file : remoteFiles.get(location.url)
  if (known === undefined && file !== undefined) await fillIfNew(file)
  const database = await openDatabase(location, {...ownOptions(), ...options}, known)
  whenOver(() => database.close())
  return database
}

/** The files of the remote databases, by their addresses. */
const remoteFiles = new Map<string, string>()

const fillIfNew = async (file: string) => {
  migrated ??= migrateOnce()
  const content = await migrated
  if (existsSync(file)) return
  prepareFile(file)
  writeFileSync(file, content)
}

let migrated: Promise<Uint8Array> | undefined

/** The content of a new database's file after every migration, which take 40 ms of the processor. */
const migrateOnce = async (): Promise<Uint8Array> => {
  const folder = mkdtempSync(join(tmpdir(), "svc-"))
  const file = join(folder, "data.sqlite")
  await (await openDatabase({dialect: "sqlite", file}, {...ownOptions(), isScratch: true})).close()
  const content = readFileSync(file)
  rmSync(folder, {recursive: true})
  return content
}

export const localDatabase = async (): Promise<Location> => ({dialect: "sqlite", file: newFile()})

const newFile = () => join(makeFolder(), "data.sqlite")

/** A file on a disk that counts as slow after a few commits, for databases that the test opens. */
export const onSlowDisk = async () => {
  vi.stubEnv("SVC_SLOW_DISK_FROM", "0")
  onTestFinished(() => void vi.unstubAllEnvs())
  return {dialect: "sqlite" as const, file: newFile()}
}

export const remoteDatabase = async (): Promise<{location: Location; server: HranaServer}> => {
  const file = join(makeFolder(), "remote.sqlite")
  const server = await startHrana({file})
  remoteFiles.set(server.url, file)
  return {location: {dialect: "libsql", url: server.url}, server}
}

/** Records the SQL of the statements prepared by databases that are opened after this call. */
export const watchDriver = () => {
  // The driver, as the database client loads it.
  const driver = createRequire(createRequire(import.meta.url).resolve("@libsql/client"))("libsql")
  const prepare = vi.spyOn(driver.prototype, "prepare")
  onTestFinished(() => prepare.mockRestore())
  return () => prepare.mock.calls.map(([sql]) => String(sql))
}

/** The rows of a query as text: the values of each one that are not null. */
export const readLines = async (database: Pick<Database, "read">, sql: string): Promise<readonly string[]> =>
  (await database.read(sql)).map(row =>
    Object.values(row)
      .filter(value => value !== null)
      .join(" "),
  )

export const changeDatabase = async (file: string, sql: string): Promise<void> => {
  const database = await open({dialect: "sqlite", file})
  await database.write([{sql}])
  await database.close()
}

/** A real libSQL server for the suites that every engine passes, one file after the other; else the stand-in. */
const realServer = process.env.SVC_TEST_LIBSQL_URL

const emptied = async (url: string): Promise<Location> => {
  const client = createClient({url})
  for (const kind of ["VIEW", "VIRTUAL TABLE", "TABLE"]) {
    const {rows} = await client.execute({
      sql: "SELECT type, name FROM sqlite_master WHERE sql LIKE ? AND name NOT GLOB 'sqlite_*'",
      args: [`CREATE ${kind} %`],
    })
    await client.migrate(rows.map(({type, name}) => `DROP ${type} "${name}"`))
  }
  client.close()
  return {dialect: "libsql", url}
}

/** The two engines that one contract suite runs against. */
export const engines: readonly {readonly name: string; make(): Promise<Location>}[] = [
  {name: "a local file", make: localDatabase},
  {
    name: "a remote database",
    make: async () => (realServer === undefined ? (await remoteDatabase()).location : emptied(realServer)),
  },
]

/** A table for the tests' rows, which refuses negative numbers, and the table of assertions. */
export const notes: Migration = {
  version: 1,
  name: "notes",
  undo: "drop them",
  statements: [
    "CREATE TABLE notes (id INTEGER PRIMARY KEY AUTOINCREMENT, writer TEXT NOT NULL, n INTEGER NOT NULL CHECK (n >= 0))",
    "CREATE TABLE svc_assert (holds INTEGER NOT NULL CHECK (holds = 1))",
  ],
}

export const note = (writer: string, n: number) => ({
  sql: "INSERT INTO notes (writer, n) VALUES (?, ?) RETURNING id",
  args: [writer, n],
})

export const countNotes = async (database: Database): Promise<number> => {
  const [row] = await database.read("SELECT count(*) AS n FROM notes")
  return Number(row?.n)
}
