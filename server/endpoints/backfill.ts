import {setTimeout as sleep} from "node:timers/promises"
import type {Log} from "../../shared/log.ts"
import {messageOf} from "../../shared/problems.ts"
import type {DatedIncoming} from "../../shared/sdk/adapter/incoming.ts"
import {postponementOf} from "../../shared/sdk/adapter/refusal.ts"
import type {HistoryPage, Sender} from "../../shared/sdk/adapter/sender.ts"
import {TimeLimitExceeded, withTimeLimit} from "../runtime/flow/time-limit.ts"
import {Turns} from "./turns.ts"

export const backfillLimits = {
  /** The channels with the newest messages. */
  channels: 50,
  /** How many messages one call of `history` requests. */
  page: 100,
  /** Calls for one channel. */
  pages: 10,
  /** Messages over all channels. */
  messages: 5000,
  /** How long the platform may take to answer one call, in milliseconds. */
  call: 15_000,
  /** How long the whole backfill may take, in milliseconds. */
  all: 60_000,
  /** How long new events wait for the endpoint to be online, in milliseconds: an adapter's `open` may wait for them. */
  opening: 5000,
  /** The most deliveries that may wait. */
  waiting: 1000,
} as const

type History = NonNullable<Sender["history"]>

/** The last stored message of a channel. */
export interface ChannelEnd {
  readonly channel: string
  /** Its id on the platform. */
  readonly message: string
}

/** `partly` means that some of the messages in the gap, in known channels, are or may be still missing. */
export type Filled = "filled" | "partly"

export interface BackfillOptions {
  readonly name: string
  readonly log: Log
  /** Belongs to the connection whose platform is asked. */
  readonly signal: AbortSignal
  /** Returns the last stored messages of at most `most` channels, those with the newest messages first. */
  ends(most: number): Promise<readonly ChannelEnd[]>
  /** Stores events in one batch. Throws if none may come in now. */
  store(events: readonly DatedIncoming[]): Promise<void>
  /** True if no events may come in, so that the gap continues. */
  isClosed(): boolean
  /** Records that the gap ends as `partly`, whatever happens later. Durable when it resolves. */
  spoil(): Promise<void>
}

/**
 * Fetches the messages that an endpoint missed in a gap, from the history of its platform. New events of a channel wait
 * until its missing messages are stored. If that fails, they are let in too, but only after the Host has stored that
 * something is missing.
 */
export class Backfill {
  readonly #options: BackfillOptions
  readonly #turns = new Turns()
  readonly #abort = new AbortController()
  #opening: ReturnType<typeof setTimeout> | undefined
  #spoiling: Promise<void> | undefined
  #hasBegun = false
  #messages = 0

  /** New events wait from now on, at first those of every channel. */
  constructor(options: BackfillOptions) {
    this.#options = options
    options.signal.addEventListener("abort", () => this.end(), {once: true})
    if (options.signal.aborted) this.end()
  }

  /** True if it has neither begun nor ended. */
  get isWaiting(): boolean {
    return !this.#hasBegun && !this.#abort.signal.aborted
  }

  /** Resolves once new events of these channels may be stored, in the order of the calls. */
  turn(channels: readonly string[]): Promise<void> | undefined {
    if (this.#turns.waiting >= backfillLimits.waiting) this.#giveUp("too many new events are waiting")
    const turn = this.#turns.wait(channels)
    if (turn !== undefined && this.isWaiting)
      this.#opening ??= setTimeout(() => this.#giveUp("events came long before it was online"), backfillLimits.opening)
    return turn
  }

  /** Resolves to the outcome; undefined if it was interrupted and the gap continues. */
  async run(history: History): Promise<Filled | undefined> {
    this.#hasBegun = true
    clearTimeout(this.#opening)
    const fill = (signal: AbortSignal) => this.#fillAll(history, signal)
    await withTimeLimit(backfillLimits.all, fill, this.#abort.signal).catch(error => this.#spoilUnlessCut(error))
    const isCut = this.#isCut
    const outcome = this.#spoiling === undefined ? "filled" : "partly"
    await this.#spoiling
    this.end()
    return isCut ? undefined : outcome
  }

  /** Stops fetching, and lets waiting events in. */
  end(): void {
    clearTimeout(this.#opening)
    this.#abort.abort()
    this.#turns.open()
  }

  get #isCut(): boolean {
    return this.#options.signal.aborted || this.#options.isClosed()
  }

  #giveUp(why: string): void {
    void this.#spoil(why).then(() => this.end())
  }

  #spoil(why: string): Promise<void> {
    const {name, log} = this.#options
    log.warn(`${name} could not fetch all missed messages: ${why}`)
    this.#spoiling ??= this.#options.spoil()
    return this.#spoiling
  }

  async #spoilUnlessCut(error: unknown): Promise<void> {
    if (!this.#isCut && !this.#abort.signal.aborted) await this.#spoil(messageOf(error))
  }

  async #fillAll(history: History, signal: AbortSignal): Promise<void> {
    const most = backfillLimits.channels
    const ends = await this.#options.ends(most + 1)
    if (ends.length > most) await this.#spoil(`it has more than ${most} channels`)
    const known = ends.slice(0, most)
    signal.throwIfAborted()
    this.#turns.keep(known.map(({channel}) => channel))
    for (const end of known) {
      await this.#fill(history, end, signal).catch(async error => {
        if (signal.aborted || this.#isCut) throw error
        await this.#spoil(`${end.channel}: ${messageOf(error)}`)
      })
      this.#turns.done(end.channel)
    }
  }

  /** Stores the missing messages of a channel, page by page. Throws if some remain. */
  async #fill(history: History, {channel, message}: ChannelEnd, signal: AbortSignal): Promise<void> {
    let after = message
    for (let page = 0; page < backfillLimits.pages; page++) {
      const limit = Math.min(backfillLimits.page, backfillLimits.messages - this.#messages)
      if (limit <= 0) throw new Error(`more than ${backfillLimits.messages} messages are missing`)
      const {events, more} = await ask(history, {channel, after, limit}, signal)
      signal.throwIfAborted()
      requireOf(channel, events)
      this.#messages += events.length
      await this.#options.store(events)
      if (more !== true) return
      const last = events.at(-1)?.message?.id
      if (last === undefined || last === after) throw new Error("its history announces more messages but returns none")
      after = last
    }
    throw new Error(`more than ${backfillLimits.pages} pages are missing`)
  }
}

/** Repeats the call when the platform asks to wait. */
const ask = async (history: History, query: Parameters<History>[0], signal: AbortSignal): Promise<HistoryPage> => {
  for (;;) {
    try {
      return await withTimeLimit(backfillLimits.call, until => history(query, until), signal)
    } catch (error) {
      const wait = error instanceof TimeLimitExceeded ? undefined : postponementOf(error)
      if (wait === undefined) throw error
      await sleep(Math.max(100, wait), undefined, {signal})
    }
  }
}

/** Checks the events: without these fields neither a backfill can continue nor a restore tell what to hold. */
const requireOf = (channel: string, events: readonly DatedIncoming[]): void => {
  if (!Array.isArray(events)) throw new Error("its history did not return a page: {events, more}")
  for (const {channel: of, timestamp, message} of events) {
    if (of?.id !== channel || !Number.isFinite(timestamp) || typeof message?.id !== "string")
      throw new Error("each event of its history needs its channel, its timestamp and the id of its message")
  }
}
