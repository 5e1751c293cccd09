import {type Fields, fieldsIn, fieldsOf, numberIn, textIn} from "./json.ts"

/** The fields of a room event that the adapter reads. */
export interface RoomEvent {
  readonly id: string
  readonly type: string
  readonly sender: string
  /** Milliseconds since 1970, from the sender's homeserver. */
  readonly at: number
  readonly content: Fields
  /** Set only for state events. */
  readonly stateKey: string | undefined
  /** For a member event: the membership before it. */
  readonly before: string | undefined
  /** The event that a redaction removes. Before room version 11 it is at the top level, later in the content. */
  readonly redacts: string | undefined
  readonly isRedacted: boolean
  readonly raw: Fields
}

/** The latest valid time, because a homeserver may send anything. */
const latest = 8.64e15

/** Returns undefined if the value is not an event. */
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
  /** The message that it answers. Undefined if a thread sets it only for clients without threads. */
  readonly reply: string | undefined
  /** The emoji of a reaction. */
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

/** Whether the user joined the room by this event. A change of name is also a "join", by a member. */
export const isEntry = (event: RoomEvent, user: string): boolean =>
  event.type === "m.room.member" && event.stateKey === user && membershipOf(event) === "join" && event.before !== "join"

/** Whether a user left the room by this event, or was removed. */
export const isExit = (event: RoomEvent, user: string): boolean =>
  event.type === "m.room.member" && event.stateKey === user && membershipOf(event) !== "join" && event.before === "join"
