import type {StreamGapReason} from "../../shared/api/event-stream.ts"
import {toJson} from "../../shared/json.ts"
import type {Audience, Envelopes} from "./envelope.ts"
import type {Filter} from "./filter.ts"
import {frame, heartbeat} from "./frame.ts"
import type {EventLog} from "./log.ts"
import type {Ring} from "./ring.ts"

/** What is handed to the connection before it asks for more, in bytes. */
const buffer = 64 * 1024

/** Events of one read of history. */
const page = 200

/** After so many events that its filter passes over, a client is told how far it is. */
const passedOver = 1000

export interface ClientOptions {
  readonly events: EventLog
  readonly ring: Ring
  readonly envelopes: Envelopes
  readonly audience: Audience
  readonly filter: Filter
  /** It was told of a gap. */
  readonly onGap: (reason: StreamGapReason) => void
  /** It is gone, or its history cannot be read. */
  readonly onEnd: (error?: unknown) => void
}

const encoder = new TextEncoder()

/**
 * One connection. It takes what comes next whenever it has room: from history by pages while it is behind, then from the
 * ring. What it does not take costs nothing but its place.
 */
export class StreamClient {
  readonly body: ReadableStream<Uint8Array>
  readonly #options: ClientOptions
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  /** Everything up to here was handed over, or passed over by its filter; undefined until it is taken up. */
  #position: number | undefined
  /** Where it would resume. */
  #told = 0
  #isReading = false
  /** It has been as far as the ring: from now on it must keep up. */
  #isLive = false
  /** What came next was evicted before anybody could be given it. */
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

  /** True where it must be let go: it was up to date, and is now further behind than what is kept for it. */
  get isSlow(): boolean {
    return this.#isLive && this.#position !== undefined && this.#position < this.#options.ring.from
  }

  /** Begins after an offset, which the client knows. */
  begin(after: number): void {
    this.#position = after
    this.#told = after
    this.fill()
  }

  send(text: string): void {
    this.#controller?.enqueue(encoder.encode(text))
  }

  /** What a client may miss: one that takes nothing does not gather it. */
  tell(text: string): void {
    if ((this.#controller?.desiredSize ?? 0) > -buffer) this.send(text)
  }

  /** The ring has begun anew, past what was evicted: who is behind it looks into history, and is told of the gap. */
  overrun(): void {
    this.#isLive = false
    this.#isOverrun = true
    this.fill()
  }

  /** Hands over what there is, as long as there is room. */
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

  /** Keeps the connection open; tells how far it is where nothing else did. */
  beat(): void {
    if (!this.#hasRoom()) return
    if (this.#position !== undefined && this.#position > this.#told) this.#tellPosition(this.#position)
    else this.send(heartbeat)
  }

  /** Ends in order, with what it has room for. */
  end(): void {
    this.fill()
    if (this.#hasRoom() && this.#position !== undefined && this.#position > this.#told)
      this.#tellPosition(this.#position)
    const controller = this.#controller
    this.#controller = undefined
    controller?.close()
  }

  /** Ends at once; what it has not taken yet is dropped. */
  cut(reason: string): void {
    const controller = this.#controller
    this.#controller = undefined
    controller?.error(new Error(reason))
  }

  #hasRoom(): boolean {
    return (this.#controller?.desiredSize ?? 0) > 0
  }

  #advance(bytes: Uint8Array | undefined, to: number, last: number | undefined): void {
    // First its place: what is handed over may be taken at once, and more asked for.
    this.#position = to
    if (last !== undefined) this.#told = last
    if (bytes !== undefined) this.#controller?.enqueue(bytes)
    if (to - this.#told >= passedOver) this.#tellPosition(to)
  }

  /** An event of its own, since a block without data reaches no page, and in some clients its id neither. */
  #tellPosition(offset: number): void {
    const id = this.#options.envelopes.idOf(offset)
    this.#told = offset
    this.send(frame({id, event: "cursor", json: toJson({id})}))
  }

  /** One page of history. */
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

  /** What came next was evicted before the client took it. */
  #skip(): void {
    this.gap(
      this.#isOverrun ? "evicted" : "slow_consumer",
      this.#options.envelopes.idOf(this.#told),
      this.#options.ring.to,
    )
  }

  /** Tells what is lost, and goes on after it. */
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
