import {setImmediate as turn} from "node:timers/promises"
import {createParser, type EventSourceParser} from "eventsource-parser"
import type {EventStream} from "../../../server/events/stream.ts"
import {parseEventId} from "../../../shared/event-id.ts"
import type {Hello, StreamGap} from "../../../shared/events/event-stream.ts"

/** The log's entry for one event; the offsets of a ledger grow. */
export interface Entry {
  readonly offset: number
  readonly n: number
  readonly endpoint: string
}

/** The state that the client's view is compared with. */
export interface Truth {
  readonly epoch: string
  readonly entries: readonly Entry[]
  readonly evictedTo: number
}

interface Message {
  readonly id: string | undefined
  readonly event: string
  readonly data: string
}

/**
 * A client of the event stream that keeps only what an EventSource keeps, its last id. It checks everything it
 * receives: after each place comes the ledger's next entry, or a justified gap.
 */
export class ModelClient {
  /** The only endpoint that the client wants; undefined for all events. */
  readonly endpoint: string | undefined
  readonly gaps: string[] = []
  received = 0
  resumed = 0
  cuts = 0
  #lastId: string | undefined
  /** The cursor of this connection. */
  #cursor: string | undefined
  #place: {readonly epoch: string; readonly offset: number} | undefined
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  #pending: Promise<{readonly done: boolean; readonly value?: Uint8Array | undefined} | undefined> | undefined
  #parser: EventSourceParser | undefined
  #messages: Message[] = []

  constructor(endpoint: string | undefined) {
    this.endpoint = endpoint
  }

  get isConnected(): boolean {
    return this.#reader !== undefined
  }

  connect(stream: EventStream): void {
    const {endpoint} = this
    this.#cursor = this.#lastId
    this.#messages = []
    this.#parser = createParser({
      onEvent: ({id, event = "message", data}) => {
        this.#lastId = id ?? this.#lastId
        this.#messages.push({id, event, data})
      },
    })
    const filter =
      endpoint === undefined ? undefined : (event: {endpoint: string | undefined}) => event.endpoint === endpoint
    this.#reader = stream.open({audience: "full", filter, cursor: this.#cursor}).getReader()
  }

  /** Reads at most `chunks` chunks of a few turns; of the last one only a `share` if the connection is to break. */
  async read(chunks: number, share = 1): Promise<void> {
    const decoder = new TextDecoder()
    for (let count = 0, quiet = 0; count < chunks && quiet < 6 && this.#reader !== undefined; ) {
      this.#pending ??= this.#reader.read().catch(() => undefined)
      const result = await Promise.race([this.#pending, turn("quiet" as const)])
      if (result === "quiet") {
        quiet++
        continue
      }
      this.#pending = undefined
      if (result === undefined) this.cuts++
      if (result === undefined || result.done || result.value === undefined) {
        this.#reader = undefined
        return
      }
      count++
      const bytes = count === chunks ? result.value.subarray(0, Math.ceil(result.value.length * share)) : result.value
      this.#parser?.feed(decoder.decode(bytes, {stream: true}))
    }
  }

  async disconnect(): Promise<void> {
    const reader = this.#reader
    this.#reader = undefined
    this.#pending = undefined
    await reader?.cancel().catch(() => {})
  }

  /** Throws for anything that a client must not receive. */
  check(truth: Truth): void {
    for (const message of this.#messages.splice(0)) this.#take(message, truth)
  }

  /** Returns true when the client has received every event it wants, or was told that it missed them. */
  isWhole(truth: Truth): boolean {
    return this.#place !== undefined && this.#place.epoch === truth.epoch && this.#next(truth) === undefined
  }

  #take({id, event, data}: Message, truth: Truth): void {
    if (event === "hello") this.#hello(JSON.parse(data), id, truth)
    else if (event === "gap") this.#gap(JSON.parse(data), truth)
    else if (event === "cursor") this.#moveTo(id, truth)
    else if (event !== "notice") this.#envelope(id, JSON.parse(data), truth)
  }

  #hello({epoch, recovered}: Hello, id: string | undefined, truth: Truth): void {
    same(epoch, truth.epoch, "the epoch of hello")
    if (recovered) {
      same(id, this.#cursor, "the place where a recovered stream goes on")
      this.resumed++
    } else if (this.#cursor !== undefined) same(id, undefined, "the id of a hello before a gap")
    if (id === undefined) return
    const place = parseEventId(id)
    same(place?.epoch, truth.epoch, "the epoch of a place")
    const before = this.#place
    if (recovered && before !== undefined) same(before.epoch, truth.epoch, "a recovered stream's epoch")
    // A view that ended inside a frame resumes from its last id, which may be before events that the filter skipped.
    this.#place = place
  }

  #gap({reason, from, to}: StreamGap, truth: Truth): void {
    const cursor = parseEventId(from)
    const isJustified =
      (reason === "epoch_changed" && cursor !== undefined && cursor.epoch !== truth.epoch) ||
      ((reason === "evicted" || reason === "slow_consumer") && (cursor?.offset ?? 0) < truth.evictedTo)
    if (!isJustified) throw new Error(`a gap without cause: ${reason} after ${from}, evicted to ${truth.evictedTo}`)
    this.gaps.push(reason)
    this.#place = parseEventId(to)
  }

  #envelope(id: string | undefined, {data}: {data: {code: number}}, truth: Truth): void {
    const next = this.#next(truth)
    same(id, next && `${truth.epoch}-${next.offset}`, "the next event")
    same(data.code, next?.n, "its data")
    this.#place = parseEventId(id ?? "")
    this.received++
  }

  #moveTo(id: string | undefined, truth: Truth): void {
    const place = parseEventId(id ?? "")
    const next = this.#next(truth)
    if (place === undefined || (next !== undefined && next.offset <= place.offset))
      throw new Error(`the place ${id} is past an event that was not delivered: ${next?.offset}`)
    this.#place = place
  }

  /** The ledger's next entry for the client. */
  #next({entries}: Truth): Entry | undefined {
    const after = this.#place?.offset ?? Number.POSITIVE_INFINITY
    let index = entries.length
    while (index > 0 && (entries[index - 1]?.offset ?? 0) > after) index--
    return entries.slice(index).find(each => this.endpoint === undefined || each.endpoint === this.endpoint)
  }
}

const same = (found: unknown, wanted: unknown, what: string): void => {
  if (found !== wanted) throw new Error(`${what}: ${String(found)} instead of ${String(wanted)}`)
}
