import {existsSync} from "node:fs"
import {access, constants, rm} from "node:fs/promises"
import {hostname} from "node:os"
import {setTimeout as sleep} from "node:timers/promises"
import {pathToFileURL} from "node:url"
import {type Client, createClient, LibsqlError, type Transaction} from "@libsql/client/sqlite3"
import {toJson} from "../../shared/json.ts"
import {messageOf, Problem} from "../../shared/problems.ts"
import {fieldsOf} from "../../shared/sdk/session/values.ts"
import {identityOf, readJsonIfExists, tellsOfFullDisk, writeFileAtomic, writeNewFile} from "./files.ts"
import {processStart} from "./process-start.ts"
import type {ProjectPaths} from "./project.ts"

/** The process that holds a project, as shown to a process that is refused. */
export interface Holder {
  readonly kind: "host" | "command" | "daemon"
  readonly hostname: string
  readonly pid: number
  readonly runtimeId: string
  readonly command: string
  readonly since: string
  /** Who starts it again: its supervisor. */
  readonly supervisor?: string
}

/** A lock file and the description of its holder beside it. */
export type LockFiles = Pick<ProjectPaths, "lock" | "holder">

export interface Lock {
  /** Why this process no longer holds the lock file that others find; undefined while it does. Takes 2 microseconds. */
  whyLost(): Problem | undefined
  /** `forget` also deletes the lock file. */
  release(forget?: boolean): Promise<void>
}

/**
 * How long to wait for a holder, in milliseconds, by its kind. A command is expected to end; a holder without a
 * description may only be checking whether the lock is free. Nobody waits for a Host or a daemon.
 */
const patience = {host: 0, daemon: 0, command: 30_000, unknown: 1000} as const

/** A Host that waits for free space holds the project only during attempts, so a command can free some between. */
const patienceOfCommands = {...patience, host: 3000} as const

/** The name of each kind of holder. */
const names = {host: "a Host", daemon: "a daemon", command: "a command"} as const

// On Bun a collected client drops its lock, so held locks stay reachable from here until they are released.
const held = new Set<{client: Client; transaction: Transaction}>()

/**
 * Takes the project's single-writer lock: a write transaction on a separate file. The kernel frees it when the process
 * dies, and Bun and Node exclude each other. Throws `state_unwritable`, and `locked` with the holder's hostname, pid,
 * runtimeId and command.
 */
export const acquireLock = async (paths: LockFiles, holder: Holder): Promise<Lock> => {
  const wait = createWait(paths, holder.kind === "command" ? patienceOfCommands : patience)
  for (;;) {
    const hold = await tryLock(paths.lock)
    if (hold !== undefined) {
      held.add(hold)
      try {
        await describeHolder(paths, holder)
      } catch (error) {
        await release(hold)
        throw error
      }
      const own = identityOf(paths.lock)
      const whyLost = () => whyLockLost(paths.lock, own)
      return {
        whyLost,
        release: async (forget = false) => {
          // If the lock was lost, another process may have described itself there.
          if (whyLost() === undefined)
            for (const path of forget ? [paths.holder, paths.lock] : [paths.holder])
              await rm(path, {force: true}).catch(() => {})
          await release(hold)
        },
      }
    }
    await wait()
  }
}

const whyLockLost = (path: string, own: string | undefined): Problem | undefined => {
  const now = identityOf(path)
  if (now === own) return undefined
  return new Problem("lock_lost", `${path} was ${now === undefined ? "removed" : "replaced"} while this process had it`)
}

/** Describes the holder. On a full disk, a command continues without it: it may be the one that frees space. */
const describeHolder = async (paths: LockFiles, holder: Holder): Promise<void> => {
  const text = toJson({...holder, started: processStart(holder.pid)})
  await writeFileAtomic(paths.holder, text).catch(async error => {
    if (holder.kind !== "command" || !tellsOfFullDisk(messageOf(error))) throw error
    await rm(paths.holder, {force: true})
  })
}

/** Returns a function that waits a moment for the lock's holder; throws `locked` once its kind's patience is over. */
const createWait = (paths: LockFiles, limits: Readonly<Record<keyof typeof patience, number>> = patience) => {
  const began = performance.now()
  let undescribedSince: number | undefined
  return async (): Promise<void> => {
    const other = await readHolder(paths)
    const now = performance.now()
    // A command that ends removes its description just before it frees the lock. That moment has a patience of 1 s.
    undescribedSince = other === undefined ? (undescribedSince ?? now) : undefined
    if (now - (undescribedSince ?? began) >= limits[other?.kind ?? "unknown"]) throw lockedBy(other)
    await sleep(100)
  }
}

/** Does work as a command that holds the project; a failure leaves no new lock file. Throws as `acquireLock` does. */
export const withLock = async <T>(paths: ProjectPaths, command: string, work: () => Promise<T>): Promise<T> => {
  const isNew = !existsSync(paths.lock)
  const lock = await acquireLock(paths, {
    kind: "command",
    hostname: hostname(),
    pid: process.pid,
    runtimeId: "none",
    command,
    since: new Date().toISOString(),
  })
  let isFailed = true
  try {
    const done = await work()
    isFailed = false
    return done
  } finally {
    await lock.release(isNew && isFailed)
  }
}

export const isLocked = async (paths: LockFiles): Promise<boolean> => {
  // Checking leaves no file where no Host ever ran.
  if (!existsSync(paths.lock)) return false
  const hold = await tryLock(paths.lock)
  if (hold !== undefined) await release(hold)
  return hold === undefined
}

/** Resolves once no process holds the project, as patient as `acquireLock`. Throws `locked`, `state_unwritable`. */
export const requireUnlocked = async (paths: LockFiles): Promise<void> => {
  const wait = createWait(paths)
  while (await isLocked(paths)) await wait()
}

/**
 * Returns the description of the lock's holder. Retries for 100 ms, since the holder writes it just after it takes the
 * lock. Ignores a damaged description and one that a killed process left behind.
 */
export const readHolder = async (paths: LockFiles): Promise<Holder | undefined> => {
  for (let attempt = 0; attempt < 5; attempt++) {
    const holder = await readJsonIfExists(paths.holder)
    if (isHolder(holder) && !isGone(holder)) return holder
    await sleep(20)
  }
  return undefined
}

/** Returns who holds the lock now; undefined if no process does, or if its holder has no description. */
export const findHolder = async (paths: LockFiles): Promise<Holder | undefined> =>
  (await isLocked(paths)) ? readHolder(paths) : undefined

const texts = ["hostname", "runtimeId", "command", "since"] as const

const isHolder = (json: unknown): json is Holder => {
  const {pid, kind, ...fields} = fieldsOf(json)
  const hasTexts = texts.every(name => typeof fields[name] === "string")
  return hasTexts && Number.isSafeInteger(pid) && Object.hasOwn(names, String(kind))
}

/** True if no process has its pid, or a process that started at another time. */
const isGone = (holder: Holder & {readonly started?: unknown}): boolean => {
  if (holder.hostname !== hostname()) return false
  const started = processStart(holder.pid)
  if (typeof holder.started === "string" && started !== undefined && started !== holder.started) return true
  try {
    process.kill(holder.pid, 0)
    return false
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH"
  }
}

const tryLock = async (file: string) => {
  let client: Client | undefined
  try {
    // SQLite would let others read a new file. Nothing else opens one that exists: closing it would free the lock.
    await writeNewFile(file, "").catch(cause => {
      if (!existsSync(file)) throw cause
    })
    const before = identityOf(file)
    client = createClient({url: pathToFileURL(file).href, concurrency: 1, timeout: 0})
    await client.execute("PRAGMA journal_mode=DELETE")
    // On a file without write permission, SQLite begins a read transaction instead, which locks nothing.
    await access(file, constants.W_OK)
    const transaction = await client.transaction("write")
    if (identityOf(file) === before) return {client, transaction}
    // Its last holder has just deleted the file.
    client.close()
    return undefined
  } catch (cause) {
    client?.close()
    if (cause instanceof LibsqlError && cause.code === "SQLITE_BUSY") return undefined
    if (cause instanceof LibsqlError && cause.code === "SQLITE_NOTADB") {
      throw new Problem("state_unwritable", `cannot lock ${file}: another program wrote to it`, {
        cause,
        hint: "Make sure that no Host of this project is running, then delete that file. The next start creates a new one.",
      })
    }
    throw new Problem("state_unwritable", `cannot lock ${file}: ${messageOf(cause)}`, {cause})
  }
}

const release = async (hold: {client: Client; transaction: Transaction}) => {
  held.delete(hold)
  await hold.transaction.rollback()
  hold.client.close()
}

/** The error that says who holds the lock. */
export const lockedBy = (holder: Holder | undefined): Problem => {
  if (holder === undefined)
    return new Problem("locked", "another process holds this project, but left no description of itself")
  const who = names[holder.kind]
  return new Problem(
    "locked",
    `${who} holds this project: pid ${holder.pid} on ${holder.hostname}, runtimeId ${holder.runtimeId}, since ${holder.since}, started as: ${holder.command}`,
  )
}
