import {setTimeout as sleep} from "node:timers/promises"
import {type Backoff, type Log, pauseAfter} from "../../../../shared/sdk/sdk.ts"
import {isPassing, StanzaFailure} from "../stream/failures.ts"
import type {Session} from "../stream/session.ts"
import type {Arrival, Intake} from "./intake.ts"
import {type Archived, type ArchivePage, queryArchive} from "./query.ts"

/** The page size, and the number of newest messages that are read when a connection starts. */
const pageSize = 50

/** If an archive no longer knows a position, reading starts this many milliseconds earlier, because clocks differ. */
const margin = 300_000

const again: Backoff = {first: 1000, longest: 60_000}

export interface ReaderOptions {
  readonly session: Session
  readonly intake: Intake
  readonly log: Log
  /** The address of the archive. */
  readonly archive: string
  readonly eventsOf: (archived: Archived) => Arrival["events"]
}

/**
 * Merges one archive and the live messages into one sequence: first the archive after the stored position, then the
 * live messages received in the meantime. A message in both has the same event id, so the Host stores it once.
 */
export class Reader {
  readonly #options: ReaderOptions
  /** Live messages that wait for the archive; undefined if they need not wait. */
  #held: Arrival[] | undefined = []
  #isReading = false
  #based: Promise<void> | undefined
  /** More messages arrived than can wait. The archive has them. */
  #isBehind = false

  constructor(options: ReaderOptions) {
    this.#options = options
  }

  /**
   * Returns the newest messages, oldest first, split into delivered and new ones. If the archive has no position yet,
   * all messages up to now count as delivered. Throws if the archive cannot be read.
   */
  async begin(): Promise<{readonly known: readonly Archived[]; readonly newer: readonly Archived[]}> {
    const {session, intake, archive} = this.#options
    const {items} = await queryArchive(session, {archive, before: "", max: pageSize})
    const position = intake.positionOf(archive)
    if (position === undefined) {
      const id = items.at(-1)?.id ?? ""
      this.#based = intake.add({events: [], place: {archive, id, at: Date.now()}})
      return {known: items, newer: []}
    }
    const end = items.findIndex(({id}) => id === position.id) + 1
    return {known: items.slice(0, end), newer: items.slice(end)}
  }

  /** Resolves once the archive has a stored position. From then on, no message is lost. */
  async based(): Promise<void> {
    await this.#based
  }

  /** Holds live messages until `read` has read the archive before them. */
  hold(): void {
    this.#held ??= []
  }

  /** Notes that a live message was not accepted. The archive has it. */
  missed(): void {
    this.#isBehind = true
    this.hold()
    void this.read()
  }

  /** Accepts a live message under the archive's id. */
  live(id: string, at: number, events: Arrival["events"]): void {
    const {intake, archive} = this.#options
    const arrival = {events, place: {archive, id, at}}
    if (intake.isFull || this.#isBehind || (this.#held?.length ?? 0) >= pageSize * 10) {
      this.missed()
    } else if (this.#held === undefined) void intake.add(arrival)
    else this.#held.push(arrival)
  }

  /** Delivers the archive's messages and then the live ones. Resolves afterwards, or when the stream ends. */
  async read(): Promise<void> {
    if (this.#isReading) return
    this.#isReading = true
    const {session, archive, log} = this.#options
    try {
      for (let attempts = 0; !session.ended.aborted; ) {
        this.#held ??= []
        try {
          this.#isBehind = false
          await this.#readPages()
          if (this.#isBehind) continue
          break
        } catch (error) {
          if (session.ended.aborted) return
          if (!isPassing(error)) {
            log.warn(`cannot read the archive of ${archive}: messages sent while the bot was offline are missing`, {
              error,
            })
            break
          }
          log.warn(`the archive of ${archive} did not answer; retrying`, {error})
          await sleep(pauseAfter(++attempts, again), undefined, {signal: session.ended}).catch(() => {})
        }
      }
      this.#release()
    } finally {
      this.#isReading = false
    }
  }

  #release(): void {
    const held = this.#held ?? []
    this.#held = undefined
    for (const arrival of held) void this.#options.intake.add(arrival)
  }

  async #readPages(): Promise<void> {
    const {intake, archive, eventsOf, session} = this.#options
    await this.based()
    for (let last: string | undefined; !session.ended.aborted; ) {
      const page = await this.#next(last)
      const stored = page.items.map(archived => {
        const {id, at} = archived
        return intake.add({events: eventsOf(archived), place: {archive, id, at}})
      })
      await Promise.all(stored)
      last = page.items.at(-1)?.id
      if (page.isComplete || last === undefined) return
    }
  }

  async #next(last: string | undefined): Promise<ArchivePage> {
    const {intake, archive, session, log} = this.#options
    const {id, at} = intake.positionOf(archive) ?? {id: "", at: Date.now()}
    const from = last ?? id
    const sinceThen = {archive, start: at - margin, max: pageSize}
    if (from === "") return queryArchive(session, sinceThen)
    try {
      return await queryArchive(session, {archive, after: from, max: pageSize})
    } catch (error) {
      if (!(error instanceof StanzaFailure) || error.condition !== "item-not-found") throw error
      log.warn(`the archive of ${archive} no longer has the bot's place; continuing by time`)
      return queryArchive(session, sinceThen)
    }
  }
}
