import {type Clock, systemClock} from "./clock.ts"
import {Places} from "./places.ts"
import {type Reservation, reserve} from "./reservation.ts"

/** Asks for another run of the item after this time, in milliseconds, before the items behind it in its lane. */
export interface Again {
  readonly again: number
  /** False if the pause only separates two items that run: then it uses the system clock, which a test cannot stop. */
  readonly byClock?: boolean
}

/** Must not reject. */
// biome-ignore lint/suspicious/noConfusingVoidType: work that never comes back has the type void
type Run<T> = (item: T, lane: string) => Promise<Again | undefined | void>

export interface LanesOptions {
  readonly clock?: Clock
  /** The owner of a lane. Lanes of one owner take no places of another; by default, all have the same owner. */
  readonly ownerOf?: (lane: string) => string
}

/**
 * Runs items in order within a lane, and lanes side by side: at most `width` lanes of an owner at a time. A lane
 * without items takes no memory, and a resting lane takes no place.
 */
export class Lanes<T> {
  readonly #run: Run<T>
  readonly #waiting = new Map<string, T[]>()
  /** Lanes with items: those that run, and those that are ready. */
  readonly #places: Places
  /** Lanes that wait to repeat their first item, each with a function that cancels the wait. */
  readonly #resting = new Map<string, () => void>()
  readonly #clock: Clock
  /** How many of them wait by the system clock. */
  #soon = 0
  /** How many items are about to be pushed, by lane. */
  readonly #expected = new Map<string, number>()
  /** The number of waiting items, without running ones. */
  length = 0
  #paused = false
  #idle: (() => void)[] = []

  constructor(
    width: number | ((owner: string) => number),
    run: Run<T>,
    {clock = systemClock, ownerOf = () => ""}: LanesOptions = {},
  ) {
    this.#places = new Places(typeof width === "number" ? () => width : width, ownerOf)
    this.#run = run
    this.#clock = clock
  }

  /** True if no item runs, is about to be pushed, or is ready to run. */
  get isIdle(): boolean {
    const mayRun = !this.#paused && this.#places.isWanted
    return this.#places.taken === 0 && this.#expected.size === 0 && this.#soon === 0 && !mayRun
  }

  push(lane: string, item: T): void {
    const items = this.#waiting.get(lane)
    this.length++
    if (items === undefined) this.#waiting.set(lane, [item])
    else items.push(item)
    if (!this.#places.has(lane) && !this.#resting.has(lane)) this.#places.want(lane)
    this.#advance()
  }

  /** Keeps the place of an item that is pushed later. Until then, no later item enters the lane. */
  expect(lane: string): Reservation<T> {
    this.#expected.set(lane, (this.#expected.get(lane) ?? 0) + 1)
    const forget = () => {
      const left = (this.#expected.get(lane) ?? 0) - 1
      if (left > 0) this.#expected.set(lane, left)
      else this.#expected.delete(lane)
    }
    return reserve(item => {
      this.push(lane, item)
      forget()
    }, forget)
  }

  /** Reserves the turn of a lane that can start at once, for an item that runs on commit. Undefined for other lanes. */
  enter(lane: string): Reservation<T> | undefined {
    const isFree = !this.#places.has(lane) && !this.#waiting.has(lane) && !this.#expected.has(lane)
    if (!isFree || this.#paused || !this.#places.take(lane)) return undefined
    return reserve(
      item => void this.#runItem(lane, item),
      () => this.#leave(lane),
    )
  }

  /** Limits how many lanes run at a time, over all owners. Running lanes continue. */
  setMost(most: number): void {
    this.#places.setMost(most)
    this.#advance()
  }

  /** Starts no further item. Running items continue. */
  pause(): void {
    this.#paused = true
    for (const callOff of this.#resting.values()) callOff()
  }

  /** Resolves when no item runs and none is ready to run. */
  async idle(): Promise<void> {
    while (this.#places.taken > 0) await new Promise<void>(done => this.#idle.push(done))
  }

  #advance(): void {
    while (!this.#paused) {
      const lane = this.#places.next()
      if (lane === undefined) return
      this.#work(lane)
    }
  }

  #work(lane: string): void {
    const items = this.#waiting.get(lane)
    const item = items?.shift()
    if (items?.length === 0) this.#waiting.delete(lane)
    if (item === undefined) this.#leave(lane)
    else {
      this.length--
      void this.#runItem(lane, item)
    }
  }

  async #runItem(lane: string, item: T): Promise<void> {
    const end = await this.#run(item, lane)
    if (end !== undefined) this.#rest(lane, item, end)
    this.#leave(lane)
  }

  #leave(lane: string): void {
    this.#places.leave(lane)
    if (this.#waiting.has(lane) && !this.#resting.has(lane)) this.#places.want(lane)
    this.#advance()
    if (this.#places.taken === 0) for (const done of this.#idle.splice(0)) done()
  }

  #rest(lane: string, item: T, {again, byClock = true}: Again): void {
    const clock = byClock ? this.#clock : systemClock
    this.length++
    this.#waiting.set(lane, [item, ...(this.#waiting.get(lane) ?? [])])
    if (!byClock) this.#soon++
    const wake = () => {
      if (!byClock) this.#soon--
      this.#resting.delete(lane)
      this.#places.want(lane)
      this.#advance()
    }
    this.#resting.set(lane, clock.wait(again, wake))
    if (this.#paused) this.pause()
  }
}
