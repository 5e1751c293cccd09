import {setTimeout as sleep, setImmediate as turn} from "node:timers/promises"
import {type Hello, type Notice, type StreamGapReason, streamGapReasons} from "../../shared/events/event-stream.ts"
import {toJson} from "../../shared/json.ts"
import type {Log} from "../../shared/log.ts"
import {messageOf} from "../../shared/problems.ts"
import type {Database} from "../database/database.ts"
import {StreamClient} from "./client.ts"
import {type Audience, type Envelopes, frame, quoted, resume, retry} from "./envelope.ts"
import type {Filter} from "./filter.ts"
import type {EventLog} from "./log.ts"
import {Ring} from "./ring.ts"

export interface StreamOptions {
  readonly database: Database
  readonly events: EventLog
  readonly envelopes: Envelopes
  readonly epoch: string
  readonly log: Log
  /** The longest silence to a client, in milliseconds; 15 s when left out. */
  readonly beatEvery?: number
}

export interface Subscription {
  readonly audience: Audience
  readonly filter: Filter
  /** The position that the client reported. */
  readonly cursor: string | undefined
}

/** Events of one read, which all clients receive before the next read. */
const page = 250

/** The longest silence to a client, in milliseconds. The clients are served in this number of parts, one at a time. */
const beats = {every: 15_000, parts: 15} as const

/** Returns the milliseconds between fan-outs: for many clients, each write costs more than its content. */
const paceFor = (clients: number): number => Math.min(50, Math.floor(clients / 20))

/** How long a client waits before it reconnects, in milliseconds. */
const comeBack = 2000

/** The live event stream: reads new events of the log once, when they are durable, and hands them to all clients. */
export class EventStream {
  readonly #options: StreamOptions
  readonly #ring: Ring
  readonly #clients = new Set<StreamClient>()
  /** Gaps sent to clients, by reason. */
  readonly gaps = new Map<StreamGapReason, number>(streamGapReasons.map(reason => [reason, 0]))
  readonly #unobserve: () => void
  /** Clients that were disconnected because they were too far behind. */
  slowConsumers = 0
  /** Notices sent, each counted once for all clients. */
  notices = 0
  #beating: ReturnType<typeof setInterval> | undefined
  #part = 0
  /** True while a client is connected: only then are new events read. */
  #isFollowed = false
  #isBehind = false
  /** When clients last received events, by a monotonic clock. */
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

  get clients(): number {
    return this.#clients.size
  }

  /** Opens a stream. Never throws: a client that receives a failure as a status does not reconnect. */
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
    this.gaps.set(reason, (this.gaps.get(reason) ?? 0) + 1)
  }

  /** Sends all stored events, then ends every stream. */
  async end(): Promise<void> {
    this.#isClosed = true
    // Twice, since the run in progress may already have done its last read.
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
    // No client was connected, so the ring may be outdated.
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
    // Until a gap is sent, the client keeps its own cursor.
    const id = start.is === "gap" ? {} : {id: envelopes.idOf(after)}
    client.send(frame({...id, event: "hello", json: toJson(hello)}))
    if (start.is === "gap") client.gap(start.reason, quoted(cursor ?? ""), head)
    else client.begin(after)
    // Picks up events stored since the head was read.
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
      // The ring restarted meanwhile.
      if (at !== this.#ring.to) continue
      if (this.#options.events.evictedTo > at) {
        this.#overrun()
        continue
      }
      for (let index = 0; index < found.length; ) {
        // Connections take their bytes before there are more.
        if (index > 0) await turn()
        if (this.#ring.to !== (found[index - 1]?.offset ?? at)) break
        index += this.#ring.add(found.slice(index))
        this.#hand()
      }
      if (found.length < page) return
      await turn()
    }
  }

  /** Events were deleted before they were read: clients must not take the later ones for the next ones. */
  #overrun(): void {
    this.#ring.restart(this.#options.events.evictedTo)
    for (const client of this.#clients) client.overrun()
  }

  /** Hands events to all clients, and disconnects those that are then too far behind. */
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
