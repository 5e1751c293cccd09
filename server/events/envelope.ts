import type {Envelope} from "../../shared/api/event-stream.ts"
import {eventId} from "../../shared/event-id.ts"
import {eventTypes, isEventType} from "../../shared/events.ts"
import {fromJson, toJson} from "../../shared/json.ts"
import {createProjection} from "../../shared/private.ts"
import {frame} from "./frame.ts"
import type {StoredEvent} from "./log.ts"
import {fitting, type Hide} from "./telling.ts"

/** Who receives events. `demo` receives nothing that the table of types marks private. */
export type Audience = "full" | "demo"

export interface EnvelopeOptions {
  readonly epoch: string
  readonly project: string
  readonly hide: Hide
}

const projections = new Map(Object.entries(eventTypes).map(([type, {data}]) => [type, createProjection(data)] as const))

/** True if both audiences receive the same. */
export const isPublic = (type: string): boolean => isEventType(type) && projections.get(type) === undefined

/** Of an unknown event type, the audience `demo` receives no data. */
const dataFor = ({type, data}: StoredEvent, audience: Audience): string => {
  if (audience === "full" || isPublic(type)) return data
  const strip = projections.get(type)
  return strip === undefined ? "{}" : toJson(strip(fromJson(data)))
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
