import {fromJson} from "../../../../shared/json.ts"
import type {SatoriEvent} from "../../../../shared/sdk/content/satori.ts"
import type {Row} from "../../../../shared/sdk/session/database.ts"
import {withFileLinks} from "./events.ts"
import {type KnownLogin, loginOfEvent, opcode, signal} from "./protocol.ts"

/** An inbox event in the form that all clients get. */
export interface Frame {
  /** Its sequence number in the inbox. */
  readonly sn: number
  /** The event's login. A client learns about the login first. */
  readonly login: KnownLogin
  /** Empty for the Host's own events, such as a timer's. Clients do not get them. */
  readonly text: string
}

/** Types that no platform sends. Their data belongs to a plugin. */
const ownTypes: ReadonlySet<string> = new Set(["timer"])

/** Returns the login of an endpoint's event. `stored` is the endpoint's login when the event arrived. */
export type LoginOf = (endpoint: string, stored: SatoriEvent["login"]) => KnownLogin

/**
 * Makes a frame of a row of the inbox. Satori v1 puts the original payload of a platform's own event under the
 * platform's name (internal API). Clients create a property of that name, and the platform could name its event anything.
 */
export const toFrame = (row: Row, loginOf: LoginOf): Frame => {
  const sn = Number(row.seq)
  const {_type: _, _data: data, ...event}: SatoriEvent = fromJson(String(row.event))
  const login = loginOf(String(row.endpoint), event.login)
  if (ownTypes.has(event.type)) return {sn, login, text: ""}
  const native = data === undefined ? {} : {_type: login.platform, _data: data}
  const {message} = event
  const shown = message === undefined ? {} : {message: {...message, content: withFileLinks(message.content, login, sn)}}
  return {sn, login, text: signal(opcode.event, {...event, ...shown, sn, id: sn, ...loginOfEvent(login), ...native})}
}
