import {toJson} from "../../shared/json.ts"
/** The wire text of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */

export interface Frame {
  /** Where a client that got this frame resumes. */
  readonly id?: string
  readonly event: string
  /** JSON text. */
  readonly json: string
}

/** Line ends would end a field, and a NUL makes a client ignore the id. */
const field = (name: string, value: string): string => {
  if (/[\r\n\0]/.test(value)) throw new TypeError(`a field ${name} cannot hold ${toJson(value)}`)
  return `${name}: ${value}\n`
}

/** JSON has line ends only between its tokens, where a space means the same. */
const onOneLine = (json: string): string => (/[\r\n]/.test(json) ? json.replace(/[\r\n]/g, " ") : json)

/** Always with data: a block without any is not handed to a page, and some clients then miss its id. */
export const frame = ({id, event, json}: Frame): string =>
  `${id === undefined ? "" : field("id", id)}${field("event", event)}data: ${onOneLine(json)}\n\n`

/** Keeps an idle connection open. */
export const heartbeat = ":\n\n"

/** How long a client waits before it comes back, in milliseconds. */
export const retry = (milliseconds: number): string => `retry: ${milliseconds}\n\n`
