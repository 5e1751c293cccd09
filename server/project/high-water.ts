import {closeSync, constants, openSync, writeSync} from "node:fs"
import {relative} from "node:path"
import {toJson} from "../../shared/json.ts"
import type {Log} from "../../shared/log.ts"
import {messageOf, Problem} from "../../shared/problems.ts"
import {type Static, Type} from "../../shared/type.ts"
import type {Database, FoundDatabase} from "../database/database.ts"
import {readNewestGroup} from "../database/state/group.ts"
import {readNewestEvent} from "../events/log.ts"
import {readStored} from "../recovery/files/stored-json.ts"
import type {ProjectPaths} from "../runtime/project.ts"

/** What the database of an authority had stored when the Host wrote this. */
const Mark = Type.Object({
  authority: Type.String(),
  group: Type.Integer(),
  /** The offset of the newest event, as of at most a second before. */
  event: Type.Integer(),
  /** Milliseconds since 1970. */
  at: Type.Integer(),
})
type Mark = Static<typeof Mark>

/** The length of the file in bytes: each mark overwrites the one before in one write. */
const length = 256

/**
 * Writes the newest stored group into a file outside of the database, before anybody learns that it is stored, and
 * without a sync. After a power loss the file may name an older group, never a newer one. A mark that cannot be written
 * is left out. Resolves to the function that ends it.
 */
export const markStored = async (database: Database, authority: string, path: string, log: Log) => {
  let event = await readNewestEvent(database)
  let reading: ReturnType<typeof setTimeout> | undefined
  let isTold = false
  const file = openSync(path, constants.O_CREAT | constants.O_WRONLY, 0o600)
  const write = (group: number) => {
    const mark: Mark = {authority, group, event, at: Date.now()}
    try {
      writeSync(file, `${toJson(mark).padEnd(length - 1)}\n`, 0)
    } catch (error) {
      if (!isTold) log.warn(`a start would not notice an older database: cannot write ${path}: ${messageOf(error)}`)
      isTold = true
    }
  }
  const readEvent = async () => {
    event = await readNewestEvent(database).catch(() => event)
    reading = undefined
  }
  write(await readNewestGroup(database))
  const leave = database.observe({
    committed: () => {
      if (database.commits.newest >= 0) write(database.commits.newest)
      reading ??= setTimeout(readEvent, 1000).unref()
    },
  })
  return () => {
    leave()
    clearTimeout(reading)
    closeSync(file)
  }
}

/** Throws `database_older` if the database has less than the mark of its authority says. No mark says nothing. */
export const requireNotOlder = async (database: FoundDatabase, authority: string | undefined, paths: ProjectPaths) => {
  const mark = await readStored(paths.highWater, Mark)
  if (mark === undefined || mark.authority !== authority) return
  const {group, event, at} = mark
  const found = await readNewestGroup(database)
  if (found >= group) return
  const {location} = database
  const name = location.dialect === "sqlite" ? relative(paths.project, location.file) : new URL(location.url).host
  const newest = await readNewestEvent(database)
  throw new Problem(
    "database_older",
    `${name} is an older copy of this project's database: its newest group of changes is ${found} and its newest event ${newest}; this project had stored group ${group} and event ${event} at ${new Date(at).toISOString()}`,
  )
}
