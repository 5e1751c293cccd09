import type {Log} from "../../../shared/log.ts"
import type {Mode} from "../../../shared/mode.ts"
import {isProblem, messageOf, Problem, type ProblemCode} from "../../../shared/problems.ts"
import {type Backoff, pauseAfter} from "../../../shared/sdk/adapter/backoff.ts"
import {startPatience} from "../../../shared/start-limit.ts"
import {isUnreachable} from "../../database/engine/errors.ts"
import {freeFiles, freeSpace, tellsOfFullDisk} from "../../runtime/files.ts"
import {pauseStart} from "../../runtime/flow/starting.ts"

/** The pause between two attempts, and between two log lines about them, in milliseconds. */
const pause = 1000
const tellEvery = 5000

/** On a full disk: the interval of looks at free space, in milliseconds, and the back-off of retries without any. */
const lookEvery = 500
const retry: Backoff = {first: 1000, longest: 30_000}

/** Below this free space, in bytes, any failure to store counts as a full disk. */
const nearlyNothing = 1024 * 1024

/** Below this number of free inodes, likewise: SQLite creates two files, and only says that it cannot open one. */
const nearlyNoFiles = 8

/** At least this much more free space, in bytes, triggers another attempt. */
const worthIt = 64 * 1024

/** What usually fills the disk. */
const remedy = "you can delete .svc/verifications, old logs, old checkpoints (svc checkpoint prune --keep 1)"

const ofStorage: ReadonlySet<ProblemCode> = new Set([
  "state_unwritable",
  "database_unopenable",
  "database_failed",
  "database_outcome_unknown",
  "workroom_failed",
  "workroom_outcome_unknown",
])

const ofRemote: ReadonlySet<ProblemCode> = new Set([
  "database_unopenable",
  "database_unanswered",
  "database_failed",
  "database_outcome_unknown",
])

const addressInUse: ReadonlySet<unknown> = new Set(["EADDRINUSE", "EADDRNOTAVAIL"])

/**
 * Whether a failed start may succeed later without a change of code or configuration: after a full disk, an address in
 * use, or a database that is unreachable, locked or leased to another Host. These failures say nothing against the
 * project.
 */
export const mayPass = (error: unknown): boolean => isFullDisk(error) || waitsFor(error) !== undefined

/** What a start waits for, in public words; undefined if waiting does not help. */
const waitsFor = (error: unknown): string | undefined => {
  if (!(error instanceof Problem)) return undefined
  if (error.code === "port_taken" && addressInUse.has(codeOf(error.cause))) return "its address"
  if (error.code === "database_busy") return "its database, which another process has locked"
  if (ofRemote.has(error.code) && isUnreachable(error)) return "its database, which does not answer"
  // Only a remote database's lock says when it may expire. A project's own is kept until an operator stops its holder.
  if (error.code === "locked" && error.retryAfter !== undefined) return "another Host to release its database"
  return undefined
}

const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined)

const isFullDisk = (error: unknown): boolean => {
  if (!(error instanceof Error)) return tellsOfFullDisk(String(error))
  // The kernel uses the same words for the limit of watched files, which free space does not change.
  if ("syscall" in error && error.syscall === "watch") return false
  const issues = error instanceof Problem ? error.issues.map(({message}) => message) : []
  const isFull = error instanceof Problem && error.code === "database_full"
  return (
    isFull || [error.message, ...issues].some(tellsOfFullDisk) || (error.cause !== undefined && isFullDisk(error.cause))
  )
}

/** Why a failed start is retried, and when. */
export interface Wait {
  /** In public words. */
  readonly waitsFor: string
  /** Set on a full disk: why the newest attempt failed, and how many have failed. */
  readonly noSpace?: {readonly why: string; readonly attempts: number}
  /** Resolves when it is time for the next attempt. Throws `stopping` if a signal aborts the start. */
  over(): Promise<void>
}

export interface PatienceOptions {
  readonly mode: Mode
  readonly log: Log
  /** Aborts the start. */
  readonly signal: AbortSignal
  /** The folders where the Host stores data, as far as they are known. */
  readonly folders: () => Promise<readonly string[]>
}

/** Decides how long one process keeps trying to start. */
export class Patience {
  readonly #options: PatienceOptions
  #since: number | undefined
  #toldAt = Number.NEGATIVE_INFINITY
  /** The number of attempts that a full disk has ended. */
  #lackedSpace = 0

  constructor(options: PatienceOptions) {
    this.#options = options
  }

  /**
   * Decides what to do after a failed start; undefined means that it failed for good. The Host waits for space without
   * a limit, in every mode. It waits for other temporary failures only in production: in development somebody is
   * watching.
   */
  async judge(error: unknown): Promise<Wait | undefined> {
    if (this.#options.signal.aborted) return undefined
    const isFull = isFullDisk(error) || (await this.#failedForLackOfSpace(error))
    return isFull ? this.#waitForSpace(error) : this.#waitUntilItPasses(error)
  }

  /** SQLite reports a full disk under several names. */
  async #failedForLackOfSpace(error: unknown): Promise<boolean> {
    if (!(error instanceof Problem && ofStorage.has(error.code))) return false
    const {bytes, files} = await this.#free()
    return bytes < nearlyNothing || files < nearlyNoFiles
  }

  async #waitForSpace(error: unknown): Promise<Wait> {
    this.#since = undefined
    const attempts = ++this.#lackedSpace
    const why = messageOf(error)
    const {bytes, files} = await this.#free()
    const lack = bytes >= nearlyNothing && files < nearlyNoFiles ? "the disk has no inodes left" : "the disk is full"
    this.#options.log.error(`${lack} (${why}): the Host stays up, not ready, and starts once there is space; ${remedy}`)
    return {
      waitsFor: "free space on its disk",
      noSpace: {why: `${lack}: ${why}`, attempts},
      over: () => this.#regainSpace(attempts),
    }
  }

  /** Space freed by undoing the failed attempt looks like that of the attempt's own files. Hence an early retry. */
  async #regainSpace(attempts: number): Promise<void> {
    const before = await this.#free()
    const end = performance.now() + pauseAfter(attempts, retry)
    while (performance.now() < end) {
      await this.#sleep(lookEvery)
      const {bytes, files} = await this.#free()
      if (bytes >= before.bytes + worthIt || files > before.files) break
    }
    this.#options.log.info("retrying the start")
  }

  #waitUntilItPasses(error: unknown): Wait | undefined {
    const reason = waitsFor(error)
    const isPatient = this.#options.mode === "production" && reason !== undefined
    // A command that frees space holds the lock for a moment, and has no space to record who it is.
    const isCommand = this.#lackedSpace > 0 && isProblem(error, "locked")
    if (!isPatient && !isCommand) return undefined
    const now = performance.now()
    this.#since ??= now
    if (now - this.#since >= startPatience) return undefined
    this.#tell(error, now)
    return {waitsFor: reason ?? "a command to end", over: () => this.#sleep(pause)}
  }

  #tell(error: unknown, now: number): void {
    if (now - this.#toldAt < tellEvery) return
    this.#toldAt = now
    const left = Math.ceil((startPatience - (now - (this.#since ?? now))) / 1000)
    const hint = error instanceof Problem ? ` ${error.hint}` : ""
    this.#options.log.warn(`${messageOf(error)}; the Host retries for ${left} s before it gives up.${hint}`)
  }

  /** The smallest free space, and the smallest number of free inodes, of the folders. */
  async #free(): Promise<{readonly bytes: number; readonly files: number}> {
    const folders = await this.#options.folders()
    const least = async (ask: (folder: string) => Promise<number>) =>
      Math.min(...(await Promise.all(folders.map(folder => ask(folder).catch(() => Number.POSITIVE_INFINITY)))))
    return {bytes: await least(freeSpace), files: await least(freeFiles)}
  }

  #sleep(milliseconds: number): Promise<void> {
    return pauseStart(milliseconds, this.#options.signal)
  }
}
