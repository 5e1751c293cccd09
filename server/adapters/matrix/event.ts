import {type Fields, fieldsIn, fieldsOf, numberIn, textIn} from "./json.ts"

/** An event of a room, as far as the adapter reads it. */
export interface RoomEvent {
  readonly id: string
  readonly type: string
  readonly sender: string
  /** Milliseconds since 1970, as the sender's homeserver says it. */
  readonly at: number
  readonly content: Fields
  /** Present for state. */
  readonly stateKey: string | undefined
  /** Of a member: what it was before. */
  readonly before: string | undefined
  /** The event that a redaction takes back: at the top before room version 11, else in the content. */
  readonly redacts: string | undefined
  readonly isRedacted: boolean
  readonly raw: Fields
}

/** Years that an event can be of; a homeserver may say anything. */
const latest = 8.64e15

/** Undefined for what is no event. */
export const readEvent = (value: unknown): RoomEvent | undefined => {
  const raw = fieldsOf(value)
  const [id, type, sender] = [textIn(raw, "event_id"), textIn(raw, "type"), textIn(raw, "sender")]
  if (!id || !type || !sender) return undefined
  const content = fieldsIn(raw, "content")
  const unsigned = fieldsIn(raw, "unsigned")
  const at = numberIn(raw, "origin_server_ts") ?? Date.now()
  return {
    id,
    type,
    sender,
    at: Math.min(Math.max(at, 0), latest),
    content,
    stateKey: textIn(raw, "state_key"),
    before: textIn(fieldsIn(unsigned, "prev_content"), "membership"),
    redacts: textIn(raw, "redacts") ?? textIn(content, "redacts"),
    isRedacted: unsigned.redacted_because !== undefined,
    raw,
  }
}

export const readEvents = (list: readonly unknown[]): readonly RoomEvent[] =>
  list.map(readEvent).filter(event => event !== undefined)

export interface Relation {
  /** `m.replace`, `m.thread`, `m.annotation`; undefined for a plain reply. */
  readonly type: string | undefined
  readonly event: string | undefined
  /** The message that it answers; not where a thread says it only for clients that know no threads. */
  readonly reply: string | undefined
  /** Of a reaction. */
  readonly key: string | undefined
}

export const relationOf = (content: Fields): Relation => {
  const relation = fieldsIn(content, "m.relates_to")
  return {
    type: textIn(relation, "rel_type"),
    event: textIn(relation, "event_id"),
    reply: relation.is_falling_back === true ? undefined : textIn(fieldsIn(relation, "m.in_reply_to"), "event_id"),
    key: textIn(relation, "key"),
  }
}

export const membershipOf = ({content}: RoomEvent): string | undefined => textIn(content, "membership")

/** Did somebody come into the room by this event? A change of name is one of a member who is in. */
export const isEntry = (event: RoomEvent, user: string): boolean =>
  event.type === "m.room.member" && event.stateKey === user && membershipOf(event) === "join" && event.before !== "join"

/** Did somebody who was in the room go, or was put out of it? */
export const isExit = (event: RoomEvent, user: string): boolean =>
  event.type === "m.room.member" && event.stateKey === user && membershipOf(event) !== "join" && event.before === "join"
