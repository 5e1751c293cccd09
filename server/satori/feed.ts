import type {Database} from "../database/database.ts"
import {type Frame, frameColumns, type LoginOf, toFrame} from "./frame.ts"

/** The newest events are kept as they are sent, for all clients that are not behind: so many, and so many characters. */
const kept = {frames: 1000, characters: 4 * 1024 * 1024} as const

/** Rows of one read. */
const page = 200

/**
 * The inbox as one ordered series. What is read is read by `seq`, from the database, which stores in that order: so a
 * client that goes on from its last `sn` meets neither a hole nor a repetition, whether it is behind or not.
 */
export class Feed {
  readonly #database: Database
  readonly #loginOf: LoginOf
  /** Every event after `#from`, up to `#to`. */
  #recent: Frame[] = []
  #characters = 0
  #from = 0
  #to = 0

  constructor(database: Database, loginOf: LoginOf) {
    this.#database = database
    this.#loginOf = loginOf
  }

  /** The `sn` of the newest stored event, 0 where there is none. */
  async head(): Promise<number> {
    const [row] = await this.#database.read(
      "SELECT max(coalesce((SELECT max(seq) FROM inbox), 0), coalesce((SELECT max(seq) FROM inbox_keys), 0)) AS head",
    )
    return Number(row?.head)
  }

  /** The `sn` of the newest event after this one that is no longer kept; undefined where none is missing. */
  async missingAfter(sn: number): Promise<number | undefined> {
    const [row] = await this.#database.read("SELECT max(seq) AS last FROM inbox_keys WHERE seq > ?", [sn])
    return row?.last === null || row?.last === undefined ? undefined : Number(row.last)
  }

  /** Keeps nothing, and goes on from here. */
  restart(at: number): void {
    this.#recent = []
    this.#characters = 0
    this.#from = at
    this.#to = at
  }

  /** Keeps nothing: what was made with names of logins that no longer hold is read again where it is asked for. */
  forget(): void {
    this.restart(this.#to)
  }

  /** Takes in what was stored since. */
  async advance(): Promise<void> {
    for (;;) {
      const at = this.#to
      const frames = await this.#read(at)
      if (at !== this.#to) continue
      for (const frame of frames) this.#keep(frame)
      if (frames.length < page) return
    }
  }

  /** What comes after `sn`: some of it, in order; nothing where there is nothing yet. */
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
    const rows = await this.#database.read(
      `SELECT ${frameColumns} FROM inbox WHERE seq > ? ORDER BY seq LIMIT ${page}`,
      [sn],
    )
    return rows.map(row => toFrame(row, this.#loginOf))
  }
}
