import type {Item} from "../../shared/api/workroom.ts"

/** The longest wait of a timer: 31 bits of milliseconds. */
const longestWait = 2 ** 31 - 1

/** How long to wait before a failed report of a deadline is retried, in milliseconds. */
const tryAgain = 5000

/** Calls `onPassed` for each item whose blocker's deadline has passed. Items have deadlines: no restart loses one. */
export class Deadlines {
  readonly #now: () => number
  readonly #onPassed: (item: Item) => void
  readonly #due = new Map<number, {readonly item: Item; readonly at: number}>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #isStopped = false

  constructor(now: () => number, onPassed: (item: Item) => void) {
    this.#now = now
    this.#onPassed = onPassed
  }

  watch(items: readonly Item[]): void {
    for (const item of items) {
      const {blocker} = item
      if (blocker === null || blocker.deadline === null || blocker.overdue) this.#due.delete(item.id)
      else this.#due.set(item.id, {item, at: Date.parse(blocker.deadline)})
    }
    this.#arm()
  }

  /** Reports the due items again, later. */
  again(): void {
    this.#arm(tryAgain)
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  #arm(least = 0): void {
    clearTimeout(this.#timer)
    if (this.#isStopped || this.#due.size === 0) return
    let next = Number.POSITIVE_INFINITY
    for (const {at} of this.#due.values()) next = Math.min(next, at)
    const wait = Math.min(longestWait, Math.max(least, next - this.#now()))
    this.#timer = setTimeout(() => this.#tell(), wait)
    this.#timer.unref()
  }

  #tell(): void {
    const now = this.#now()
    for (const {item, at} of this.#due.values()) if (at <= now) this.#onPassed(item)
    this.#arm(tryAgain)
  }
}
