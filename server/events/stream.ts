import {setTimeout as sleep, setImmediate as turn} from "node:timers/promises"
import type {Hello, Notice, StreamGapReason} from "../../shared/api/event-stream.ts"
import {streamGapReasons} from "../../shared/api/event-stream.ts"
import {toJson} from "../../shared/json.ts"
import type {Log} from "../../shared/log.ts"
import {messageOf} from "../../shared/problems.ts"
import type {Database} from "../database/database.ts"
import {StreamClient} from "./client.ts"
import {quoted, resume} from "./cursor.ts"
import type {Audience, Envelopes} from "./envelope.ts"
import type {Filter} from "./filter.ts"
import {frame, retry} from "./frame.ts"
import type {EventLog} from "./log.ts"
import {Ring} from "./ring.ts"

export interface StreamOptions {
  readonly database: Database
  readonly events: EventLog
  readonly envelopes: Envelopes
  readonly epoch: string
  readonly log: Log
  /** A client hears something at least so often, in milliseconds; 15 s when left out. */
  readonly beatEvery?: number
}

export interface Subscription {
  readonly audience: Audience
  readonly filter: Filter
  /** Where the client says that it was. */
  readonly cursor: string | undefined
}

/** Events of one read, which all clients get before the next one is made. */
const page = 250

/** Clients hear something at least so often, in milliseconds; one of so many parts of them at a time. */
const beats = {every: 15_000, parts: 15} as const

/**
 * What happens within so many milliseconds of the last fan-out goes out with the next one: a write to each of many clients
 * costs more than what is in it. Few clients are told at once.
 */
const paceFor = (clients: number): number => Math.min(50, Math.floor(clients / 20))

/** How long a client waits before it comes back, in milliseconds. */
const comeBack = 2000

/** The live event stream: what the log has new is read once, when it is durable, and handed to all clients. */
export class EventStream {
  readonly #options: StreamOptions
  readonly #ring: Ring
  readonly #clients = new Set<StreamClient>()
  readonly #gaps = new Map<StreamGapReason, number>(streamGapReasons.map(reason => [reason, 0]))
  readonly #unobserve: () => void
  /** Clients let go because they were too far behind. */
  slowConsumers = 0
  /** Notices told, to however many clients. */
  notices = 0
  #beating: ReturnType<typeof setInterval> | undefined
  #part = 0
  /** What comes is read since somebody is there. */
  #isFollowed = false
  #isBehind = false
  /** When clients were last handed something, of a clock that does not go back. */
  #handedAt = 0
  #advancing: Promise<void> | undefined
  #isClosed = false

  constructor(options: StreamOptions) {
    this.#options = options
    this.#ring = new Ring(options.envelopes)
    this.#unobserve = options.database.observe({
      committed: () => this.#wake(),
      failing: ({code, message, since}) => this.#notify({what: "database_failing", code, message, since: iso(since)}),
      recovered: ({code, message, since}) =>
        this.#notify({what: "database_recovered", code, message, since: iso(since)}),
    })
  }

  /** Clients now. */
  get clients(): number {
    return this.#clients.size
  }

  /** Gaps told of, by reason. */
  get gaps(): ReadonlyMap<StreamGapReason, number> {
    return this.#gaps
  }

  /** Never throws: a client that is told of a failure by a status does not come back. */
  open(subscription: Subscription): ReadableStream<Uint8Array> {
    const client: StreamClient = new StreamClient({
      ...this.#options,
      ring: this.#ring,
      ...subscription,
      onGap: reason => this.countGap(reason),
      onEnd: error => this.#leave(client, error),
    })
    client.send(retry(comeBack))
    if (this.#isClosed) {
      client.end()
      return client.body
    }
    this.#clients.add(client)
    this.#beating ??= setInterval(() => this.#beat(), (this.#options.beatEvery ?? beats.every) / beats.parts)
    this.#begin(client, subscription).catch(error => this.#leave(client, error))
    return client.body
  }

  countGap(reason: StreamGapReason): void {
    this.#gaps.set(reason, (this.#gaps.get(reason) ?? 0) + 1)
  }

  /** Hands over what is stored, then ends every stream. */
  async end(): Promise<void> {
    this.#isClosed = true
    // Twice: the one that is under way may have done its last look.
    for (let looks = 0; looks < 2; looks++) {
      this.#isBehind = true
      await this.#follow()
    }
    this.#unobserve()
    clearInterval(this.#beating)
    for (const client of this.#clients) client.end()
    this.#clients.clear()
  }

  async #begin(client: StreamClient, {cursor}: Subscription): Promise<void> {
    const {events, envelopes, epoch} = this.#options
    const extent = await events.extent()
    if (!client.isOpen) return
    const {head, evictedTo} = extent
    // Nobody was there: what the ring has may be long ago.
    if (!this.#isFollowed) this.#ring.restart(head)
    this.#isFollowed = true
    const start = resume(cursor, epoch, extent)
    const oldest = Math.min(evictedTo + 1, head + 1)
    const hello: Hello = {
      epoch,
      head: envelopes.idOf(head),
      oldest: envelopes.idOf(oldest),
      recovered: start.is === "resumed",
    }
    const after = start.is === "resumed" ? start.after : head
    // Before a gap is told of, the client keeps the cursor that it has.
    const id = start.is === "gap" ? {} : {id: envelopes.idOf(after)}
    client.send(frame({...id, event: "hello", json: toJson(hello)}))
    if (start.is === "gap") client.gap(start.reason, quoted(cursor ?? ""), head)
    else client.begin(after)
    // What was stored between the reading of the head and now.
    this.#wake()
  }

  #wake(): void {
    if (!this.#isFollowed) return
    this.#isBehind = true
    void this.#follow()
  }

  #follow(): Promise<void> {
    this.#advancing ??= this.#advance().finally(() => {
      this.#advancing = undefined
    })
    return this.#advancing
  }

  async #advance(): Promise<void> {
    try {
      while (this.#isBehind && this.#isFollowed) {
        const early = this.#handedAt + paceFor(this.#clients.size) - performance.now()
        if (early > 0 && !this.#isClosed) await sleep(early)
        this.#isBehind = false
        await this.#takeNew()
      }
    } catch (error) {
      this.#isBehind = true
      if (!this.#isClosed) this.#options.log.warn(`event streams wait for the database: ${messageOf(error)}`)
    }
  }

  async #takeNew(): Promise<void> {
    for (;;) {
      const at = this.#ring.to
      const found = await this.#options.events.read(at, page)
      // Begun anew meanwhile.
      if (at !== this.#ring.to) continue
      if (this.#options.events.evictedTo > at) {
        this.#overrun()
        continue
      }
      for (let index = 0; index < found.length; ) {
        // Connections take what they were handed before there is more.
        if (index > 0) await turn()
        if (this.#ring.to !== (found[index - 1]?.offset ?? at)) break
        index += this.#ring.add(found.slice(index))
        this.#hand()
      }
      if (found.length < page) return
      await turn()
    }
  }

  /** Events were evicted before they were read: nobody may take what comes after them for what comes next. */
  #overrun(): void {
    this.#ring.restart(this.#options.events.evictedTo)
    for (const client of this.#clients) client.overrun()
  }

  /** Whoever is then too far behind is let go. */
  #hand(): void {
    this.#handedAt = performance.now()
    for (const client of this.#clients) {
      client.fill()
      if (!client.isSlow) continue
      this.slowConsumers++
      this.#clients.delete(client)
      client.cut("the client is too far behind")
    }
  }

  #leave(client: StreamClient, error?: unknown): void {
    if (!this.#clients.delete(client)) return
    if (error !== undefined) {
      this.#options.log.warn(`an event stream ended: ${messageOf(error)}`)
      client.end()
    }
    if (this.#clients.size > 0) return
    this.#isFollowed = false
    clearInterval(this.#beating)
    this.#beating = undefined
  }

  #beat(): void {
    this.#part = (this.#part + 1) % beats.parts
    let index = 0
    for (const client of this.#clients) if (index++ % beats.parts === this.#part) client.beat()
    if (this.#isBehind) void this.#follow()
  }

  #notify(notice: Notice): void {
    if (this.#clients.size === 0) return
    this.notices++
    const {message: _, ...bare} = notice
    const full = frame({event: "notice", json: toJson(notice)})
    const demo = frame({event: "notice", json: toJson(bare)})
    for (const client of this.#clients) client.tell(client.audience === "full" ? full : demo)
  }
}

const iso = (at: number) => new Date(at).toISOString()
