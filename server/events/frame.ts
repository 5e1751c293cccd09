import {toJson} from "../../shared/json.ts"
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
