import {mkdtempSync, rmSync} from "node:fs"
import {tmpdir} from "node:os"
import {join} from "node:path"
import {v7 as uuid} from "uuid"
import {onTestFinished, vi} from "vitest"
import {type Database, type Location, type OpenOptions, openDatabase} from "../../../server/database/database.ts"
import type {Migration} from "../../../server/database/migrations/migrations.ts"
import {whenOver} from "../host/shared.ts"
import {type HranaServer, startHrana} from "./hrana-server.ts"

/** A folder for one test, removed when the test ends. */
export const scratchFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "svc-"))
  onTestFinished(() => rmSync(folder, {recursive: true, force: true}))
  return folder
}

/** Opens a database, and closes it at the latest when the test ends. */
export const open = async (
  location: Location,
  {known, ...options}: Partial<OpenOptions> & {known?: readonly Migration[]} = {},
): Promise<Database> => {
  const database = await openDatabase(
    location,
    {runtimeId: uuid(), signal: new AbortController().signal, onLeaseLost: () => {}, ...options},
    known,
  )
  whenOver(() => database.close())
  return database
}

export const localDatabase = async (): Promise<Location> => ({dialect: "sqlite", file: newFile()})

const newFile = () => join(scratchFolder(), "data.sqlite")

/** A file on a disk that counts as slow after a few commits, for databases that the test opens. */
export const onSlowDisk = async () => {
  vi.stubEnv("SVC_SLOW_DISK_FROM", "0")
  onTestFinished(() => void vi.unstubAllEnvs())
  return {dialect: "sqlite" as const, file: newFile()}
}

export const remoteDatabase = async (): Promise<{location: Location; server: HranaServer}> => {
  const server = await startHrana({file: join(scratchFolder(), "remote.sqlite")})
  return {location: {dialect: "libsql", url: server.url}, server}
}

/** Changes the database of a stopped Host. */
export const changeDatabase = async (file: string, sql: string): Promise<void> => {
  const database = await open({dialect: "sqlite", file})
  await database.write([{sql}])
  await database.close()
}

/** The two engines that one contract suite runs against. */
export const engines: readonly {readonly name: string; make(): Promise<Location>}[] = [
  {name: "a local file", make: localDatabase},
  {name: "a remote database", make: async () => (await remoteDatabase()).location},
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
