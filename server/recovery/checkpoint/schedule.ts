import type {Log} from "../../../shared/log.ts"
import {messageOf} from "../../../shared/problems.ts"
import type {Checkpoints} from "./checkpoints.ts"
import {isMadeHere, type StoredCheckpoint} from "./store.ts"

export interface ScheduleOptions {
  readonly checkpoints: Checkpoints
  /** `every` in milliseconds, 0 for none; as the configuration says now. */
  readonly settings: () => {readonly every: number; readonly keep: number}
  /** When the project was first started, in milliseconds since 1970: the first checkpoint counts from there. */
  readonly firstStart: number
  readonly log: Log
  readonly now?: () => number
}

/** Looked at again at least so often, since the clock may be set and the configuration may change; in milliseconds. */
const longestWait = 60_000

/** After a failure it is tried again so much later, or with the next turn where that comes first; in milliseconds. */
const pause = 10 * 60_000

export const scheduledReason = "schedule"

/**
 * Makes a checkpoint in every interval, verifies it, and keeps the newest so many of its own. One that is late is made at
 * once, and so, after a pause, is another for one that was not found sound.
 */
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
      this.#options.log.error(`the schedule of checkpoints: ${messageOf(error)}`)
      return longestWait
    })
    if (this.#isStopped) return
    this.#timer = setTimeout(() => void this.#turn(), Math.min(Math.max(wait, 1), longestWait))
  }

  /** Resolves to how long nothing is to be done. */
  async #consider(): Promise<number> {
    const {checkpoints, settings, firstStart, now = Date.now} = this.#options
    const {every, keep} = settings()
    if (every === 0) return longestWait
    const [newest] = (await checkpoints.store.list()).checkpoints.filter(isSound)
    const last = newest === undefined ? firstStart : Date.parse(newest.manifest.createdAt)
    const due = Math.max(last + every, this.#lastFailure + Math.min(pause, every))
    if (now() < due) return due - now()
    // Who makes it tells of what fails.
    const made = await checkpoints.create({reason: scheduledReason}).catch(() => undefined)
    if (made === undefined || !isSound(made)) this.#lastFailure = now()
    await this.#prune(keep)
    return 0
  }

  /** Those that are not sound take nobody's place, and go once a sound one is newer. */
  async #prune(keep: number): Promise<void> {
    const {checkpoints} = this.#options
    const sound = (await checkpoints.store.list()).checkpoints.find(isSound)
    await checkpoints.prune(keep, isSound)
    await checkpoints.prune(0, each => isUnsound(each) && sound !== undefined && each.id < sound.id)
    await checkpoints.prune(keep, isUnsound)
  }
}

/** One that was uploaded may have been made by the schedule of another project. */
const isOwn = (stored: StoredCheckpoint) => stored.manifest.reason === scheduledReason && isMadeHere(stored)

const isSound = (stored: StoredCheckpoint) => isOwn(stored) && stored.verification?.ok === true

const isUnsound = (stored: StoredCheckpoint) => isOwn(stored) && stored.verification?.ok !== true
