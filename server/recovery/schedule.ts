import type {Log} from "../../shared/log.ts"
import {messageOf} from "../../shared/problems.ts"
import {isMadeHere, type ListedCheckpoint} from "./checkpoint/store.ts"
import type {Checkpoints} from "./checkpoints.ts"

export interface ScheduleOptions {
  readonly checkpoints: Checkpoints
  /** Returns the present configuration; `every` in milliseconds, 0 for no schedule. */
  readonly settings: () => {readonly every: number; readonly keep: number}
  /** The time of the project's first start, in milliseconds since 1970; the first interval begins there. */
  readonly firstStart: number
  readonly log: Log
}

/** The longest wait until the next check, in milliseconds: the clock may be set and the configuration may change. */
const longestWait = 60_000

/** The pause before a retry, in milliseconds, unless the next interval comes first. */
const pause = 10 * 60_000

export const scheduledReason = "schedule"

/** Keeps the newest `keep` checkpoints. Creates an overdue one at once, and retries a failed one after a pause. */
export class CheckpointSchedule {
  readonly #options: ScheduleOptions
  #timer: ReturnType<typeof setTimeout> | undefined
  #isStopped = false
  #lastFailure = Number.NEGATIVE_INFINITY

  constructor(options: ScheduleOptions) {
    this.#options = options
  }

  start(): void {
    void this.#turn()
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  async #turn(): Promise<void> {
    const wait = await this.#consider().catch(error => {
      this.#options.log.error(`the checkpoint schedule failed: ${messageOf(error)}`)
      return longestWait
    })
    if (this.#isStopped) return
    this.#timer = setTimeout(() => void this.#turn(), Math.min(Math.max(wait, 1), longestWait))
  }

  /** Creates a checkpoint if one is due. Resolves to the time until the next check, in milliseconds. */
  async #consider(): Promise<number> {
    const {checkpoints, settings, firstStart} = this.#options
    const {every, keep} = settings()
    if (every === 0) return longestWait
    const [newest] = (await checkpoints.store.list()).checkpoints.filter(isSound)
    const last = newest === undefined ? firstStart : Date.parse(newest.manifest.createdAt)
    const due = Math.max(last + every, this.#lastFailure + Math.min(pause, every))
    if (Date.now() < due) return due - Date.now()
    // `create` reports its failures itself.
    const made = await checkpoints.create({reason: scheduledReason}).catch(() => undefined)
    if (made === undefined || !isSound(made)) this.#lastFailure = Date.now()
    await this.#prune(keep)
    return 0
  }

  /** Prunes. A failed checkpoint never replaces a good one, and is deleted once a good one is newer. */
  async #prune(keep: number): Promise<void> {
    const {checkpoints} = this.#options
    const sound = (await checkpoints.store.list()).checkpoints.find(isSound)
    await checkpoints.prune(keep, isSound)
    await checkpoints.prune(0, each => isUnsound(each) && sound !== undefined && each.id < sound.id)
    await checkpoints.prune(keep, isUnsound)
  }
}

/** Excludes uploaded checkpoints, which may come from the schedule of another project. */
const isOwn = (stored: ListedCheckpoint) => stored.manifest.reason === scheduledReason && isMadeHere(stored)

const isSound = (stored: ListedCheckpoint) => isOwn(stored) && stored.verification?.ok === true

const isUnsound = (stored: ListedCheckpoint) => isOwn(stored) && stored.verification?.ok !== true
