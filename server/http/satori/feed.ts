import type {Database} from "../../database/database.ts"
import {readEvents, readHead, readLastDeleted} from "../../inbox/look-ups.ts"
import {type Frame, type LoginOf, toFrame} from "./protocol/frame.ts"

/** How many of the newest events, and of their characters, stay in memory for the clients that are up to date. */
const kept = {frames: 1000, characters: 4 * 1024 * 1024} as const

/** How many rows one read returns. */
const page = 200

/**
 * The inbox as one ordered series. It reads by `seq` from the database, which stores events in that order. A client
 * that resumes at its last `sn` therefore misses no event and gets none twice.
 */
export class Feed {
  readonly #database: Database
  readonly #loginOf: LoginOf
  /** All events after `#from`, up to `#to`. */
  #recent: Frame[] = []
  #characters = 0
  #from = 0
  #to = 0

  constructor(database: Database, loginOf: LoginOf) {
    this.#database = database
    this.#loginOf = loginOf
  }

  /** Returns the `sn` of the newest stored event, or 0 if there is none. */
  head(): Promise<number> {
    return readHead(this.#database)
  }

  /** Returns the `sn` of the newest deleted event after this one, or undefined if none is missing. */
  missingAfter(sn: number): Promise<number | undefined> {
    return readLastDeleted(this.#database, sn)
  }

  /** Empties the memory and continues after this `sn`. */
  restart(at: number): void {
    this.#recent = []
    this.#characters = 0
    this.#from = at
    this.#to = at
  }

  /** Empties the memory. Events rendered with outdated logins are read again when a client needs them. */
  forget(): void {
    this.restart(this.#to)
  }

  /** Reads the events stored since the last call. */
  async advance(): Promise<void> {
    for (;;) {
      const at = this.#to
      const frames = await this.#read(at)
      if (at !== this.#to) continue
      for (const frame of frames) this.#keep(frame)
      if (frames.length < page) return
    }
  }

  /** Returns the next events after `sn` in order, possibly not all of them; an empty array if there are none yet. */
  after(sn: number): readonly Frame[] | Promise<readonly Frame[]> {
    if (sn >= this.#to) return []
    if (sn < this.#from) return this.#read(sn)
    let first = this.#recent.length
    while (first > 0 && (this.#recent[first - 1]?.sn ?? 0) > sn) first--
    return this.#recent.slice(first)
  }

  #keep(frame: Frame): void {
    this.#recent.push(frame)
    this.#characters += frame.text.length
    this.#to = frame.sn
    while (this.#recent.length > kept.frames || this.#characters > kept.characters) {
      const oldest = this.#recent.shift()
      if (oldest === undefined) return
      this.#characters -= oldest.text.length
      this.#from = oldest.sn
    }
  }

  async #read(sn: number): Promise<readonly Frame[]> {
    return (await readEvents(this.#database, sn, page)).map(row => toFrame(row, this.#loginOf))
  }
}
