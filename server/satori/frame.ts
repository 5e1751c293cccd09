import {fromJson} from "../../shared/json.ts"
import type {Row} from "../../shared/sdk/plugin/database.ts"
import type {SatoriEvent} from "../../shared/sdk/satori.ts"
import {withFileLinks} from "./files/events.ts"
import {type KnownLogin, loginOfEvent, opcode, signal} from "./protocol.ts"

/** An inbox event as all clients get it. */
export interface Frame {
  /** Its sequence in the inbox. */
  readonly sn: number
  /** Whose event it is: a client hears of the login before. */
  readonly login: KnownLogin
  /** Empty for an event of the Host's own, such as a timer's: clients get none of it. */
  readonly text: string
}

/** Types that no platform sends, and whose data is a plugin's. */
const ownTypes: ReadonlySet<string> = new Set(["timer"])

/** Tells the login of an endpoint's event; `stored` is what the endpoint called itself when the event came. */
export type LoginOf = (endpoint: string, stored: SatoriEvent["login"]) => KnownLogin

/**
 * The columns of the inbox that a frame is made from. The payload that the platform sent goes under the platform's name, as Satori v1
 * has it (internal API): clients make a property of that name, and the platform's own name of the event might be any.
 */
export const frameColumns = "seq, endpoint, event, raw"

export const toFrame = (row: Row, loginOf: LoginOf): Frame => {
  const sn = Number(row.seq)
  const {_type: _, ...event}: SatoriEvent = fromJson(String(row.event))
  const login = loginOf(String(row.endpoint), event.login)
  if (ownTypes.has(event.type)) return {sn, login, text: ""}
  const raw: {data?: unknown} | undefined = row.raw === null ? undefined : fromJson(String(row.raw))
  const native = raw === undefined ? {} : {_type: login.platform, _data: raw.data}
  const {message} = event
  const shown = message === undefined ? {} : {message: {...message, content: withFileLinks(message.content, login, sn)}}
  return {sn, login, text: signal(opcode.event, {...event, ...shown, sn, id: sn, ...loginOfEvent(login), ...native})}
}
