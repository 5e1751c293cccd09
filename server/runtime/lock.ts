import {setTimeout as sleep} from "node:timers/promises"
import {pathToFileURL} from "node:url"
import {type Client, createClient, LibsqlError, type Transaction} from "@libsql/client/sqlite3"
import {messageOf, Problem} from "../../shared/problems.ts"
import {readJsonIfExists, writeFileAtomic} from "./files.ts"
import type {ProjectPaths} from "./project.ts"

/** Who holds a project: shown to whoever is refused. */
export interface Holder {
  readonly kind: "host" | "command"
  readonly hostname: string
  readonly pid: number
  readonly runtimeId: string
  readonly command: string
  readonly since: string
}

export interface Lock {
  release(): Promise<void>
}

/** How long a lock that a command holds is waited for, in milliseconds. A Host's is not waited for. */
const commandWait = 30_000

// On Bun a collected client drops its lock, so what is held is reachable from here until it is released.
const held = new Set<{client: Client; transaction: Transaction}>()

const isBusy = (error: unknown) => error instanceof LibsqlError && error.code === "SQLITE_BUSY"

/**
 * Takes the project's single-writer lock: a write transaction on a file of its own, so the kernel frees it when the
 * process dies, however it dies, and Bun and Node exclude each other. Throws `locked` with the holder's hostname, pid,
 * runtimeId and command; `state_unwritable`.
 */
export const acquireLock = async (paths: ProjectPaths, holder: Holder): Promise<Lock> => {
  const deadline = Date.now() + commandWait
  for (;;) {
    const hold = await tryLock(paths.lock)
    if (hold !== undefined) {
      held.add(hold)
      await writeFileAtomic(paths.holder, JSON.stringify(holder))
      return {release: () => release(hold)}
    }
    const other = await readHolder(paths)
    if (other?.kind !== "command" || Date.now() > deadline) throw lockedBy(other)
    await sleep(100)
  }
}

/** True when a process holds the project now. */
export const isLocked = async (paths: ProjectPaths): Promise<boolean> => {
  const hold = await tryLock(paths.lock)
  if (hold !== undefined) await release(hold)
  return hold === undefined
}

/** The description that the last holder left; retried for 100 ms, since it is written just after the lock is taken. */
export const readHolder = async (paths: ProjectPaths): Promise<Holder | undefined> => {
  for (let attempt = 0; attempt < 5; attempt++) {
    const holder = await readJsonIfExists(paths.holder)
    if (typeof holder === "object" && holder !== null && "pid" in holder) return holder as Holder
    await sleep(20)
  }
  return undefined
}

const tryLock = async (file: string) => {
  let client: Client | undefined
  try {
    client = createClient({url: pathToFileURL(file).href, concurrency: 1, timeout: 0})
    await client.execute("PRAGMA journal_mode=DELETE")
    return {client, transaction: await client.transaction("write")}
  } catch (cause) {
    client?.close()
    if (isBusy(cause)) return undefined
    throw new Problem("state_unwritable", `cannot lock ${file}: ${messageOf(cause)}`, {cause})
  }
}

const release = async (hold: {client: Client; transaction: Transaction}) => {
  held.delete(hold)
  await hold.transaction.rollback()
  hold.client.close()
}

const lockedBy = (holder: Holder | undefined): Problem => {
  if (holder === undefined) return new Problem("locked", "another process holds this project")
  const who = holder.kind === "host" ? "a Host" : "a command"
  return new Problem(
    "locked",
    `${who} holds this project: pid ${holder.pid} on ${holder.hostname}, runtimeId ${holder.runtimeId}, since ${holder.since}, started as: ${holder.command}`,
  )
}
