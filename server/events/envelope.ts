import {eventId, parseEventId} from "../../shared/event-id.ts"
import type {Envelope, StreamGapReason} from "../../shared/events/event-stream.ts"
import {eventTypes, isEventType} from "../../shared/events/events.ts"
import {fromJson, toJson} from "../../shared/json.ts"
import {projectionOf} from "../../shared/private.ts"
import type {Extent, StoredEvent} from "./log.ts"
import {fitting, type Hide} from "./telling.ts"

/** Where a client continues: exactly behind an offset, or elsewhere with a gap. */
type Resumption =
  | {readonly is: "fresh"}
  | {readonly is: "resumed"; readonly after: number}
  | {readonly is: "gap"; readonly reason: Exclude<StreamGapReason, "slow_consumer">}

/** Continues a cursor if all later events are still in the log of its epoch. No cursor means to begin now. */
export const resume = (cursor: string | undefined, epoch: string, {head, evictedTo}: Extent): Resumption => {
  if (cursor === undefined || cursor === "") return {is: "fresh"}
  const id = parseEventId(cursor)
  if (id === undefined) return {is: "gap", reason: "malformed"}
  if (id.epoch !== epoch) return {is: "gap", reason: "epoch_changed"}
  if (id.offset > head) return {is: "gap", reason: "ahead"}
  if (id.offset < evictedTo) return {is: "gap", reason: "evicted"}
  return {is: "resumed", after: id.offset}
}

/** Returns a cursor for an answer, cut, since a forged one may be long. */
export const quoted = (cursor: string): string => cursor.slice(0, 128)

/** Who receives events. `demo` receives nothing that the table of types marks private. */
export type Audience = "full" | "demo"

export interface EnvelopeOptions {
  readonly epoch: string
  readonly project: string
  readonly hide: Hide
}

/** True if both audiences receive the same. */
export const isPublic = (type: string): boolean => isEventType(type) && projectionOf(eventTypes[type].data) === null

/** Of an unknown event type, the audience `demo` receives no data. */
const dataFor = ({type, data}: StoredEvent, audience: Audience): string => {
  if (audience === "full" || isPublic(type)) return data
  const strip = isEventType(type) ? projectionOf(eventTypes[type].data) : null
  return strip === null ? "{}" : toJson(strip(fromJson(data)))
}

/** Formats stored events for clients. */
export class Envelopes {
  readonly #options: EnvelopeOptions
  readonly #project: string

  constructor(options: EnvelopeOptions) {
    this.#options = options
    this.#project = toJson(options.project)
  }

  idOf(offset: number): string {
    return eventId(this.#options.epoch, offset)
  }

  /** Returns the JSON text of an `Envelope`. Concatenates it, since the data already is JSON. */
  text(event: StoredEvent, audience: Audience): string {
    const {type, at, runtimeId, generation, endpoint, runId} = event
    const about =
      (endpoint === undefined ? "" : `,"endpoint":${toJson(endpoint)}`) +
      (runId === undefined ? "" : `,"runId":${toJson(runId)}`)
    return `{"id":"${this.idOf(event.offset)}","type":"${type}","at":"${new Date(at).toISOString()}","project":${this.#project},"runtimeId":"${runtimeId}","generation":${generation}${about},"data":${fitting(dataFor(event, audience), this.#options.hide)}}`
  }

  envelope(event: StoredEvent, audience: Audience): Envelope {
    return fromJson(this.text(event, audience)) as Envelope
  }

  frame(event: StoredEvent, audience: Audience): string {
    return frame({id: this.idOf(event.offset), event: event.type, json: this.text(event, audience)})
  }
}

/** The wire text of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */

export interface Frame {
  /** Where a client that received this frame resumes. */
  readonly id?: string
  readonly event: string
  /** JSON text. */
  readonly json: string
}

/** A line end would end the field, and a NUL makes a client ignore the id. */
const field = (name: string, value: string): string => {
  if (/[\r\n\0]/.test(value)) throw new TypeError(`a field ${name} cannot hold ${toJson(value)}`)
  return `${name}: ${value}\n`
}

/** JSON has line ends only between its tokens, where a space means the same. */
const onOneLine = (json: string): string => (/[\r\n]/.test(json) ? json.replace(/[\r\n]/g, " ") : json)

/** Always includes data: browsers do not pass a block without data to a page, and some clients then miss its id. */
export const frame = ({id, event, json}: Frame): string =>
  `${id === undefined ? "" : field("id", id)}${field("event", event)}data: ${onOneLine(json)}\n\n`

/** Keeps an idle connection open. */
export const heartbeat = ":\n\n"

/** Tells a client how long to wait before it reconnects, in milliseconds. */
export const retry = (milliseconds: number): string => `retry: ${milliseconds}\n\n`
