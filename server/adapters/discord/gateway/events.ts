import type {DatedIncoming} from "../../../../shared/sdk/sdk.ts"
import {idIn, isSnowflake, type Payload, payloadOf, textIn, timeOf} from "../api/payload.ts"
import type {Places} from "../api/places.ts"
import {contentOf, isSaid} from "../content/message.ts"
import {memberUserOf, userOf} from "../content/user.ts"
import type {Dispatch} from "./gateway.ts"
import type {Session} from "./session.ts"

/** The data that reading an event needs. */
export interface Reading {
  readonly places: Places
  /** The bot's own id. The adapter drops the bot's own events. */
  readonly me: string
  /** The session's id and the sequence form the id of an event that has none. */
  readonly session: Pick<Session, "id" | "since">
}

type Read = (data: Payload, reading: Reading, unique: string, name: string) => readonly DatedIncoming[]

/** Reads a message of a user, live or from the history. Undefined for system messages and for the bot's own. */
export const messageEvent = (
  message: Payload,
  {places, me}: Pick<Reading, "places" | "me">,
): DatedIncoming | undefined => {
  const id = idIn(message)
  const user = userOf(payloadOf(message.author), payloadOf(message.member))
  if (id === undefined || user === undefined || user.id === me || !isSaid(message)) return undefined
  return {
    id,
    type: "message-created",
    timestamp: timeOf(id),
    ...places.placeOf(message),
    // A webhook's user cannot receive an answer.
    user: idIn(message, "webhook_id") === undefined ? user : {...user, is_bot: true},
    message: {id, content: contentOf(message, places.channelName), created_at: timeOf(id)},
    raw: {type: "MESSAGE_CREATE", data: message},
  }
}

const one = (event: DatedIncoming | undefined): readonly DatedIncoming[] => (event === undefined ? [] : [event])

/** Edits by users have a time. Discord's own changes, such as link previews, have none. */
const edited: Read = (data, reading) => {
  const said = messageEvent(data, reading)
  const time = Date.parse(textIn(data, "edited_timestamp") ?? "")
  if (said === undefined || Number.isNaN(time)) return []
  return [
    {
      ...said,
      id: `${said.id}:edited:${time}`,
      type: "message-updated",
      timestamp: time,
      raw: {type: "MESSAGE_UPDATE", data},
    },
  ]
}

const deletion = (id: string, data: Payload, {places}: Reading, name: string): DatedIncoming => ({
  id: `${id}:deleted`,
  type: "message-deleted",
  timestamp: Date.now(),
  ...places.placeOf(data),
  message: {id, content: ""},
  raw: {type: name, data},
})

const deleted: Read = (data, reading, _, name) => {
  const id = idIn(data)
  return id === undefined ? [] : [deletion(id, data, reading, name)]
}

const deletedMany: Read = (data, reading, _, name) =>
  (Array.isArray(data.ids) ? data.ids : []).filter(isSnowflake).map(id => deletion(id, data, reading, name))

/** Returns the emoji itself, or `name:id` for a server's custom emoji. */
const emojiOf = (emoji: Payload): NonNullable<DatedIncoming["emoji"]> => {
  const [name = "_", id] = [textIn(emoji, "name"), idIn(emoji)]
  return id === undefined ? {id: name} : {id: `${name}:${id}`, name}
}

const reaction =
  (type: "reaction-added" | "reaction-removed"): Read =>
  (data, {places, me}, unique, name) => {
    const [user, message] = [idIn(data, "user_id"), idIn(data, "message_id")]
    if (user === undefined || user === me || message === undefined) return []
    const member = payloadOf(data.member)
    return [
      {
        id: unique,
        type,
        timestamp: Date.now(),
        ...places.placeOf(data),
        user: memberUserOf(member) ?? {id: user},
        message: {id: message, content: ""},
        emoji: emojiOf(payloadOf(data.emoji)),
        raw: {type: name, data},
      },
    ]
  }

/** A vote in a poll, or its removal, which Satori does not have. */
const vote: Read = (data, {places}, unique, name) => {
  const [user, message] = [idIn(data, "user_id"), idIn(data, "message_id")]
  if (user === undefined || message === undefined) return []
  return [
    {
      id: unique,
      type: "internal",
      timestamp: Date.now(),
      ...places.placeOf(data),
      user: {id: user},
      message: {id: message, content: ""},
      raw: {type: name, data},
    },
  ]
}

const member =
  (type: "guild-member-added" | "guild-member-removed"): Read =>
  (data, {places, me}, unique, name) => {
    const [user, guild] = [memberUserOf(data), idIn(data, "guild_id")]
    if (user === undefined || user.id === me || guild === undefined) return []
    return [{id: unique, type, timestamp: Date.now(), guild: places.guildOf(guild), user, raw: {type: name, data}}]
  }

const guildAdded: Read = (data, {places, session}, unique, name) => {
  const id = idIn(data)
  const isNew = places.learnGuild(data)
  // After a resume, the adapter does not know where the bot was before. A guild that the bot joined earlier only comes
  // back from an outage.
  if (id === undefined || !isNew || Date.parse(textIn(data, "joined_at") ?? "") < session.since) return []
  // With all channels and members, the payload may have megabytes.
  const raw = {type: name, data: {id, name: data.name}}
  return [{id: unique, type: "guild-added", timestamp: Date.now(), guild: places.guildOf(id), raw}]
}

const guildRemoved: Read = (data, {places}, unique, name) => {
  const id = idIn(data)
  // The guild has an outage and will come back.
  if (id === undefined || data.unavailable === true) return []
  const guild = places.guildOf(id)
  places.leaveGuild(id)
  return [{id: unique, type: "guild-removed", timestamp: Date.now(), guild, raw: {type: name, data}}]
}

const learn =
  (what: (places: Places, data: Payload) => void): Read =>
  (data, {places}) => {
    what(places, data)
    return []
  }

const reads: Readonly<Record<string, Read>> = {
  READY: learn((places, data) => places.began(data)),
  RESUMED: () => [],
  MESSAGE_CREATE: (data, reading) => one(messageEvent(data, reading)),
  MESSAGE_UPDATE: edited,
  MESSAGE_DELETE: deleted,
  MESSAGE_DELETE_BULK: deletedMany,
  MESSAGE_REACTION_ADD: reaction("reaction-added"),
  MESSAGE_REACTION_REMOVE: reaction("reaction-removed"),
  MESSAGE_POLL_VOTE_ADD: vote,
  MESSAGE_POLL_VOTE_REMOVE: vote,
  GUILD_MEMBER_ADD: member("guild-member-added"),
  GUILD_MEMBER_REMOVE: member("guild-member-removed"),
  GUILD_CREATE: guildAdded,
  GUILD_UPDATE: learn((places, data) => void places.learnGuild(data)),
  GUILD_DELETE: guildRemoved,
  CHANNEL_CREATE: learn((places, data) => places.learnChannel(data)),
  CHANNEL_UPDATE: learn((places, data) => places.learnChannel(data)),
  THREAD_CREATE: learn((places, data) => places.learnChannel(data)),
  THREAD_UPDATE: learn((places, data) => places.learnChannel(data)),
}

export const isRead = (name: string): boolean => Object.hasOwn(reads, name)

/** Returns the Satori events for an event of the gateway; empty for any other kind. */
export const readEvent = ({name, sequence, data}: Dispatch, reading: Reading): readonly DatedIncoming[] =>
  isRead(name) ? (reads[name]?.(data, reading, `${reading.session.id}:${sequence}`, name) ?? []) : []
