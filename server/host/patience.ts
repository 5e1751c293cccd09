import type {Log} from "../../shared/log.ts"
import type {Mode} from "../../shared/mode.ts"
import {isProblem, messageOf, Problem, type ProblemCode} from "../../shared/problems.ts"
import {type Backoff, pauseAfter} from "../../shared/sdk/adapter/backoff.ts"
import {startPatience} from "../../shared/start-limit.ts"
import {isUnreachable} from "../database/errors.ts"
import {freeFiles, freeSpace, tellsOfFullDisk} from "../runtime/disk.ts"
import {pauseStart} from "../runtime/flow/starting.ts"

/** Between two attempts, and between two lines of the log that say so, in milliseconds. */
const pause = 1000
const tellEvery = 5000

/** A full disk: how often free space is looked at, in milliseconds, and after how long the start is tried all the same. */
const lookEvery = 500
const retry: Backoff = {first: 1000, longest: 30_000}

/** With less free space than this, in bytes, a failure to store is one of a full disk, whatever it says. */
const nearlyNothing = 1024 * 1024

/** Likewise with room for fewer files than this: SQLite makes two beside its own, and says only that it cannot open it. */
const nearlyNoFiles = 8

/** So much more free space, in bytes, is worth another attempt. */
const worthIt = 64 * 1024

/** What usually takes the space. */
const remedy = "what can go: .svc/verifications, old logs, old checkpoints (svc checkpoint prune --keep 1)"

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
 * May what failed a start pass without a change of code or configuration? A full disk, an address in use, a database that is not
 * reached, is locked, or is still leased to another Host. Such a failure says nothing against what was started.
 */
export const mayPass = (error: unknown): boolean => isFullDisk(error) || waitsFor(error) !== undefined

/** What a start waits for, as anybody may read it; undefined where waiting does not help. */
const waitsFor = (error: unknown): string | undefined => {
  if (!(error instanceof Problem)) return undefined
  if (error.code === "port_taken" && addressInUse.has(codeOf(error.cause))) return "its address"
  if (error.code === "database_busy") return "its database, which another process has locked"
  if (ofRemote.has(error.code) && isUnreachable(error)) return "its database, which does not answer"
  // Only that of a remote database says when it may end. The holder of a project's own lock keeps it until somebody stops it.
  if (error.code === "locked" && error.retryAfter !== undefined) return "another Host to let its database go"
  return undefined
}

const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined)

const isFullDisk = (error: unknown): boolean => {
  if (!(error instanceof Error)) return tellsOfFullDisk(String(error))
  // The kernel has the same word for the limit of watched files, which no space changes.
  if ("syscall" in error && error.syscall === "watch") return false
  const issues = error instanceof Problem ? error.issues.map(({message}) => message) : []
  const isFull = error instanceof Problem && error.code === "database_full"
  return (
    isFull || [error.message, ...issues].some(tellsOfFullDisk) || (error.cause !== undefined && isFullDisk(error.cause))
  )
}

/** Why a start that failed is tried again, and when. */
export interface Wait {
  /** As anybody may read it. */
  readonly waitsFor: string
  /** Set on a full disk: why the newest attempt failed, and how many have. */
  readonly noSpace?: {readonly why: string; readonly attempts: number}
  /** Resolves when it is time. Throws `stopping` where the start is ended, by a signal. */
  over(): Promise<void>
}

export interface PatienceOptions {
  readonly mode: Mode
  readonly log: Log
  /** Ends the start. */
  readonly signal: AbortSignal
  /** Where the Host stores, as far as that is known yet. */
  readonly folders: () => Promise<readonly string[]>
}

/** How long one process goes on trying to start. */
export class Patience {
  readonly #options: PatienceOptions
  #since: number | undefined
  #toldAt = Number.NEGATIVE_INFINITY
  /** How many attempts a full disk has ended. */
  #lackedSpace = 0

  constructor(options: PatienceOptions) {
    this.#options = options
  }

  /**
   * What to do about a start that has failed; undefined where it has failed for good. A full disk is waited for without end, in
   * every mode. What else may pass is waited for in production only: elsewhere somebody looks on.
   */
  async judge(error: unknown): Promise<Wait | undefined> {
    if (this.#options.signal.aborted) return undefined
    const isFull = isFullDisk(error) || (await this.#failedForLackOfSpace(error))
    return isFull ? this.#waitForSpace(error) : this.#waitUntilItPasses(error)
  }

  /** SQLite names a full disk by several names. */
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

  /** Space that was freed while the failed attempt was undone is not told from what it took itself: hence a retry soon. */
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
    // The command that frees space holds the project for a moment, and has no room to say who it is.
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
    this.#options.log.warn(`${messageOf(error)}; the Host tries again for ${left} s before it gives up.${hint}`)
  }

  /** The least that one of the folders has room for. */
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
