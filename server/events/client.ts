import type {StreamGapReason} from "../../shared/events/event-stream.ts"
import {toJson} from "../../shared/json.ts"
import {type Audience, type Envelopes, frame, heartbeat} from "./envelope.ts"
import type {Filter} from "./filter.ts"
import type {EventLog} from "./log.ts"
import type {Ring} from "./ring.ts"

/** How many bytes the connection takes before it asks for more. */
const buffer = 64 * 1024

/** Events of one read of history. */
const page = 200

/** The number of skipped events after which a client is sent its position. */
const passedOver = 1000

export interface ClientOptions {
  readonly events: EventLog
  readonly ring: Ring
  readonly envelopes: Envelopes
  readonly audience: Audience
  readonly filter: Filter
  /** Called when the client was sent a gap. */
  readonly onGap: (reason: StreamGapReason) => void
  /** Called when the client is gone or its history cannot be read. */
  readonly onEnd: (error?: unknown) => void
}

const encoder = new TextEncoder()

/**
 * One connection. Whenever it has room, it takes the next events: pages of history while it is behind, then the ring.
 * Events that it does not take need no memory but its position.
 */
export class StreamClient {
  readonly body: ReadableStream<Uint8Array>
  readonly #options: ClientOptions
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  /** Everything up to here was sent or skipped by the filter; undefined until the client begins. */
  #position: number | undefined
  /** Where the client would resume. */
  #told = 0
  #isReading = false
  /** True once it has reached the ring: from then on it must keep up. */
  #isLive = false
  /** True if the next events were deleted before any client could take them. */
  #isOverrun = false

  constructor(options: ClientOptions) {
    this.#options = options
    this.body = new ReadableStream<Uint8Array>(
      {
        start: controller => {
          this.#controller = controller
        },
        pull: () => this.fill(),
        cancel: () => {
          this.#controller = undefined
          options.onEnd()
        },
      },
      new ByteLengthQueuingStrategy({highWaterMark: buffer}),
    )
  }

  get audience(): Audience {
    return this.#options.audience
  }

  get isOpen(): boolean {
    return this.#controller !== undefined
  }

  /** True if the client must be disconnected: it was up to date, and is now behind everything that is kept for it. */
  get isSlow(): boolean {
    return this.#isLive && this.#position !== undefined && this.#position < this.#options.ring.from
  }

  /** Begins behind an offset that the client knows. */
  begin(after: number): void {
    this.#position = after
    this.#told = after
    this.fill()
  }

  send(text: string): void {
    this.#controller?.enqueue(encoder.encode(text))
  }

  /** Sends something that a client may miss. Skips a client that does not read, so that it does not pile up. */
  tell(text: string): void {
    if ((this.#controller?.desiredSize ?? 0) > -buffer) this.send(text)
  }

  /** The ring restarted behind deleted events. A client that is behind reads history, and is sent the gap. */
  overrun(): void {
    this.#isLive = false
    this.#isOverrun = true
    this.fill()
  }

  /** Sends what is available while there is room. */
  fill(): void {
    const {ring, audience, filter} = this.#options
    while (this.#hasRoom() && this.#position !== undefined && !this.#isReading) {
      if (this.#position < ring.from) {
        if (!this.#isLive) void this.#read(this.#position)
        return
      }
      this.#isLive = true
      this.#isOverrun = false
      const {bytes, to, last} = ring.after(this.#position, audience, filter)
      if (to === this.#position) return
      this.#advance(bytes, to, last)
    }
  }

  /** Keeps the connection open. Sends the position if no event did. */
  beat(): void {
    if (!this.#hasRoom()) return
    if (this.#position !== undefined && this.#position > this.#told) this.#tellPosition(this.#position)
    else this.send(heartbeat)
  }

  /** Closes the stream with what fits. */
  end(): void {
    this.fill()
    if (this.#hasRoom() && this.#position !== undefined && this.#position > this.#told)
      this.#tellPosition(this.#position)
    const controller = this.#controller
    this.#controller = undefined
    controller?.close()
  }

  /** Closes the stream at once, without the events that the client has not taken. */
  cut(reason: string): void {
    const controller = this.#controller
    this.#controller = undefined
    controller?.error(new Error(reason))
  }

  #hasRoom(): boolean {
    return (this.#controller?.desiredSize ?? 0) > 0
  }

  #advance(bytes: Uint8Array | undefined, to: number, last: number | undefined): void {
    // Update the position first: enqueueing may trigger the next request at once.
    this.#position = to
    if (last !== undefined) this.#told = last
    if (bytes !== undefined) this.#controller?.enqueue(bytes)
    if (to - this.#told >= passedOver) this.#tellPosition(to)
  }

  /** Sends the position as an event: a block without data does not reach a page, and some clients then miss its id. */
  #tellPosition(offset: number): void {
    const id = this.#options.envelopes.idOf(offset)
    this.#told = offset
    this.send(frame({id, event: "cursor", json: toJson({id})}))
  }

  async #read(after: number): Promise<void> {
    this.#isReading = true
    try {
      const found = await this.#options.events.read(after, page)
      this.#isReading = false
      if (!this.isOpen) return
      if (this.#options.events.evictedTo > after) this.#skip()
      else this.#takeHistory(found, after)
      this.fill()
    } catch (error) {
      this.#isReading = false
      if (this.isOpen) this.#options.onEnd(error)
    }
  }

  #takeHistory(found: Awaited<ReturnType<EventLog["read"]>>, after: number): void {
    const {envelopes, audience, filter} = this.#options
    const wanted = filter === undefined ? found : found.filter(filter)
    const text = wanted.map(event => envelopes.frame(event, audience)).join("")
    this.#advance(
      text === "" ? undefined : encoder.encode(text),
      found.at(-1)?.offset ?? Math.max(after, this.#options.ring.from),
      wanted.at(-1)?.offset,
    )
  }

  /** The next events were deleted before the client took them. */
  #skip(): void {
    this.gap(
      this.#isOverrun ? "evicted" : "slow_consumer",
      this.#options.envelopes.idOf(this.#told),
      this.#options.ring.to,
    )
  }

  /** Sends what is lost, and continues behind it. */
  gap(reason: StreamGapReason, from: string, to: number): void {
    const id = this.#options.envelopes.idOf(to)
    this.#isOverrun = false
    this.#position = to
    this.#told = to
    this.#options.onGap(reason)
    this.send(frame({id, event: "gap", json: toJson({reason, from, to: id, resumeAt: id})}))
    this.fill()
  }
}
