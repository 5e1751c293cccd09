import {setTimeout as sleep} from "node:timers/promises"
import {type Backoff, type Log, pauseAfter} from "../../../../shared/sdk/sdk.ts"
import {isPassing, StanzaFailure} from "../stream/failures.ts"
import type {Session} from "../stream/session.ts"
import type {Arrival, Intake} from "./intake.ts"
import {type Archived, type ArchivePage, queryArchive} from "./query.ts"

/** So many messages of an archive come at once; so many of the newest are looked at when a connection begins. */
const pageSize = 50

/** Where an archive does not know a position any more, it is read from so many milliseconds before: clocks differ. */
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
 * One archive, as one line with what comes live: first what the archive has behind the stored position, then what came
 * live meanwhile. Messages that are in both have the same event id, so the Host stores them once.
 */
export class Reader {
  readonly #options: ReaderOptions
  /** What came live and waits for the archive; undefined where it need not. */
  #held: Arrival[] | undefined = []
  #isReading = false
  #based: Promise<void> | undefined
  /** More came in than can wait: the archive has it. */
  #isBehind = false

  constructor(options: ReaderOptions) {
    this.#options = options
  }

  /**
   * The newest messages, oldest first: those that were handed over, and those that are not yet. Where the archive has
   * no position yet, everything up to now counts as handed over. Throws where the archive cannot be asked.
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

  /** Resolves once the archive has a stored position: from then on, what comes in is not lost. */
  async based(): Promise<void> {
    await this.#based
  }

  /** What comes live waits until `read` has read what the archive has before it. */
  hold(): void {
    this.#held ??= []
  }

  /** Something came live that is not taken: the archive has it. */
  missed(): void {
    this.#isBehind = true
    this.hold()
    void this.read()
  }

  /** Takes what came live under the archive's id. */
  live(id: string, at: number, events: Arrival["events"]): void {
    const {intake, archive} = this.#options
    const arrival = {events, place: {archive, id, at}}
    if (intake.isFull || this.#isBehind || (this.#held?.length ?? 0) >= pageSize * 10) {
      this.missed()
    } else if (this.#held === undefined) void intake.add(arrival)
    else this.#held.push(arrival)
  }

  /** Hands over what the archive has and then what came live. Resolves then, or when the stream has ended. */
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
