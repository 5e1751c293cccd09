import {existsSync} from "node:fs"
import {access, constants, rm} from "node:fs/promises"
import {hostname} from "node:os"
import {setTimeout as sleep} from "node:timers/promises"
import {pathToFileURL} from "node:url"
import {type Client, createClient, LibsqlError, type Transaction} from "@libsql/client/sqlite3"
import {toJson} from "../../shared/json.ts"
import {messageOf, Problem} from "../../shared/problems.ts"
import {tellsOfFullDisk} from "./disk.ts"
import {identityOf, readJsonIfExists, writeFileAtomic} from "./files.ts"
import {processStart} from "./process/process-start.ts"
import type {ProjectPaths} from "./project.ts"

/** Who holds a project: shown to whoever is refused. */
export interface Holder {
  readonly kind: "host" | "command" | "daemon"
  readonly hostname: string
  readonly pid: number
  readonly runtimeId: string
  readonly command: string
  readonly since: string
  /** Who starts it again. */
  readonly supervisor?: string
}

/** A lock file, and the description of its holder beside it. */
export type LockFiles = Pick<ProjectPaths, "lock" | "holder">

export interface Lock {
  /** Why others no longer find what this process has locked; undefined while they do. Opens nothing, and takes 2 microseconds. */
  whyLost(): Problem | undefined
  release(): Promise<void>
}

/**
 * How long a lock is waited for, in milliseconds: that of a command until it has ended, one without a description long
 * enough for whoever only looked whether it is free. A Host's is not waited for.
 */
const patience = {host: 0, daemon: 0, command: 30_000, unknown: 1000} as const

/**
 * What a command waits for instead: a Host that waits for free space holds the project during each attempt to start, and lets it
 * go in between, so that a command can free some.
 */
const patienceOfCommands = {...patience, host: 3000} as const

/** What each kind of holder is called. */
const names = {host: "a Host", daemon: "a daemon", command: "a command"} as const

// On Bun a collected client drops its lock, so what is held is reachable from here until it is released.
const held = new Set<{client: Client; transaction: Transaction}>()

const isBusy = (error: unknown) => error instanceof LibsqlError && error.code === "SQLITE_BUSY"

/**
 * Takes the project's single-writer lock: a write transaction on a file of its own, so the kernel frees it when the
 * process dies, however it dies, and Bun and Node exclude each other. Throws `locked` with the holder's hostname, pid,
 * runtimeId and command; `state_unwritable`.
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
        release: async () => {
          // Whoever took a lock that was lost has described itself there.
          if (whyLost() === undefined) await rm(paths.holder, {force: true}).catch(() => {})
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
  return new Problem(
    "lock_lost",
    `${path} was ${now === undefined ? "removed" : "replaced"} while this process held it`,
  )
}

/** A command goes on without a description where the disk has no room for it: it may be the one that frees some. */
const describeHolder = async (paths: LockFiles, holder: Holder): Promise<void> => {
  const text = toJson({...holder, started: processStart(holder.pid)})
  await writeFileAtomic(paths.holder, text).catch(async error => {
    if (holder.kind !== "command" || !tellsOfFullDisk(messageOf(error))) throw error
    await rm(paths.holder, {force: true})
  })
}

/** Waits a moment for whoever holds the lock; throws `locked` once that kind of holder was waited for long enough. */
const createWait = (paths: LockFiles, limits: Readonly<Record<keyof typeof patience, number>> = patience) => {
  const began = performance.now()
  let undescribedSince: number | undefined
  return async (): Promise<void> => {
    const other = await readHolder(paths)
    const now = performance.now()
    // A command that was waited for removes its description just before it lets go: that has a patience of its own.
    undescribedSince = other === undefined ? (undescribedSince ?? now) : undefined
    if (now - (undescribedSince ?? began) >= limits[other?.kind ?? "unknown"]) throw lockedBy(other)
    await sleep(100)
  }
}

/** Does work as a command that holds the project. Throws what `acquireLock` throws. */
export const withLock = async <T>(paths: ProjectPaths, command: string, work: () => Promise<T>): Promise<T> => {
  const lock = await acquireLock(paths, {
    kind: "command",
    hostname: hostname(),
    pid: process.pid,
    runtimeId: "none",
    command,
    since: new Date().toISOString(),
  })
  try {
    return await work()
  } finally {
    await lock.release()
  }
}

/** True when a process holds the project now. */
export const isLocked = async (paths: LockFiles): Promise<boolean> => {
  // Asking leaves no trace where no Host ever ran.
  if (!existsSync(paths.lock)) return false
  const hold = await tryLock(paths.lock)
  if (hold !== undefined) await release(hold)
  return hold === undefined
}

/** Resolves once nobody holds the project; waits for whom `acquireLock` waits for. Throws `locked`, `state_unwritable`. */
export const requireUnlocked = async (paths: LockFiles): Promise<void> => {
  const wait = createWait(paths)
  while (await isLocked(paths)) await wait()
}

/**
 * The description of who holds the lock; retried for 100 ms, since it is written just after the lock is taken. One that a
 * killed process left behind, or that is damaged, does not count.
 */
export const readHolder = async (paths: LockFiles): Promise<Holder | undefined> => {
  for (let attempt = 0; attempt < 5; attempt++) {
    const holder = await readJsonIfExists(paths.holder)
    if (isHolder(holder) && !isGone(holder)) return holder
    await sleep(20)
  }
  return undefined
}

/** Who holds the lock now; undefined where nobody does, and for one without a description. */
export const findHolder = async (paths: LockFiles): Promise<Holder | undefined> =>
  (await isLocked(paths)) ? readHolder(paths) : undefined

const texts = ["hostname", "runtimeId", "command", "since"] as const

const isHolder = (json: unknown): json is Holder => {
  if (typeof json !== "object" || json === null) return false
  const fields = new Map<string, unknown>(Object.entries(json))
  return (
    Number.isSafeInteger(fields.get("pid")) &&
    Object.hasOwn(names, String(fields.get("kind"))) &&
    texts.every(name => typeof fields.get(name) === "string")
  )
}

/** Nobody has its pid, or another process that started at another time. */
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
    client = createClient({url: pathToFileURL(file).href, concurrency: 1, timeout: 0})
    await client.execute("PRAGMA journal_mode=DELETE")
    // On a file that may not be written, SQLite begins a transaction for reading instead, which holds nothing.
    await access(file, constants.W_OK)
    return {client, transaction: await client.transaction("write")}
  } catch (cause) {
    client?.close()
    if (isBusy(cause)) return undefined
    if (cause instanceof LibsqlError && cause.code === "SQLITE_NOTADB") {
      throw new Problem("state_unwritable", `cannot lock ${file}: something else was written into it`, {
        cause,
        hint: "Make sure that no Host of this project runs; then remove that file. The next start makes a new one.",
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

/** Why a lock was not to be had: who holds it. */
export const lockedBy = (holder: Holder | undefined): Problem => {
  if (holder === undefined) return new Problem("locked", "another process holds this project; it left no description")
  const who = names[holder.kind]
  return new Problem(
    "locked",
    `${who} holds this project: pid ${holder.pid} on ${holder.hostname}, runtimeId ${holder.runtimeId}, since ${holder.since}, started as: ${holder.command}`,
  )
}
