import {createHash} from "node:crypto"
import {channelType, eventTypes, type Incoming} from "../../../shared/sdk/sdk.ts"
import {buttonIdOf, contentOf} from "./content.ts"
import {type Fields, fieldsOf, numberIn, textIn} from "./fields.ts"
import {type ServerLogin, snOf} from "./protocol.ts"

/** Event names of the reference implementation, and the standard's names. */
const standardNames: ReadonlyMap<string, string> = new Map([
  ["message", "message-created"],
  ["reaction-deleted", "reaction-removed"],
  ["reaction-deleted/one", "reaction-removed"],
  ["guild-deleted", "guild-removed"],
  ["guild-member-deleted", "guild-member-removed"],
])

/** The Host itself creates the events of logins. */
const passed: ReadonlySet<string> = new Set(eventTypes.filter(type => !type.startsWith("login-")))

export const isKnown = (type: string): boolean => passed.has(type) || type.startsWith("login-")

/** Whether a server also sends events of this type for the bot's own actions. */
const isEcho = (type: string): boolean => /^(message-(created|updated)|reaction-)/.test(type)

export const typeOf = (event: Fields): string => {
  const type = textIn(event, "type") ?? ""
  return standardNames.get(type) ?? type
}

export interface Reading {
  readonly login: {readonly user: Pick<ServerLogin["user"], "id">}
  /** Prefixes of addresses that only the server can open. */
  readonly proxies: readonly string[]
  /** A better id than the `sn`, for events other than new messages. */
  readonly id?: string
}

/** Returns an event for the Host; undefined if it is not for the bot or is incomplete. */
export const incomingOf = (event: Fields, {login, proxies, id: known}: Reading): Incoming | undefined => {
  const type = typeOf(event)
  if (!passed.has(type)) return undefined
  const message = fieldsOf(event.message)
  const channel = channelOf(fieldsOf(event.channel ?? message.channel))
  const user = userOf(event, message)
  const id = idOf(type, event, channel?.id, known)
  if (id === undefined || (isEcho(type) && user?.id === login.user.id)) return undefined
  if (type.startsWith("message-") && (channel === undefined || textIn(message, "id") === undefined)) return undefined
  const guild = guildOf(fieldsOf(event.guild ?? message.guild))
  const timestamp = numberIn(event, "timestamp")
  return {
    id,
    type,
    ...(timestamp === undefined ? {} : {timestamp}),
    ...(channel === undefined ? {} : {channel}),
    ...(guild === undefined ? {} : {guild}),
    ...(user === undefined ? {} : {user}),
    ...messageOf(message, proxies),
    ...emojiOf(event),
    ...buttonOf(event),
    ...rawOf(type, event),
  }
}

/**
 * The event's id does not use `sn` alone, because a server may restart its numbers. A message has the same id live and
 * in the history.
 */
const idOf = (type: string, event: Fields, channel?: string, known?: string): string | undefined => {
  const message = textIn(fieldsOf(event.message), "id")
  if (type === "message-created" && channel !== undefined && message !== undefined) return messageId(channel, message)
  if (known !== undefined) return known
  const sn = snOf(event)
  const timestamp = numberIn(event, "timestamp")
  if (sn === undefined && timestamp === undefined) return undefined
  return `${type}/${sn ?? ""}/${timestamp ?? createHash("sha256").update(JSON.stringify(event)).digest("hex")}`
}

export const messageId = (channel: string, message: string): string => `${channel}/${message}`

export const channelOf = (fields: Fields): Incoming["channel"] => {
  const id = textIn(fields, "id")
  const name = textIn(fields, "name")
  const type = numberIn(fields, "type") ?? channelType.text
  return id === undefined ? undefined : {id, type, ...(name === undefined ? {} : {name})}
}

export const guildOf = (fields: Fields): Incoming["guild"] => {
  const id = textIn(fields, "id")
  const name = textIn(fields, "name")
  return id === undefined ? undefined : {id, ...(name === undefined ? {} : {name})}
}

/** Other svc Hosts send `account`, `locale` and the `roles` of users; Koishi sends those of members. */
export const userOf = (event: Fields, message: Fields): Incoming["user"] => {
  const member = fieldsOf(event.member ?? message.member)
  const user = [event.user, message.user, member.user, event.operator].map(fieldsOf).find(each => textIn(each, "id"))
  const id = user && textIn(user, "id")
  if (user === undefined || id === undefined) return undefined
  const nick = textIn(member, "nick") ?? textIn(user, "nick")
  const texts = ["name", "avatar", "account", "locale"].flatMap(key => {
    const text = textIn(user, key)
    return text === undefined ? [] : [[key, text]]
  })
  return {
    id,
    ...Object.fromEntries(texts),
    ...(nick === undefined ? {} : {nick}),
    ...(typeof user.is_bot === "boolean" ? {is_bot: user.is_bot} : {}),
    ...rolesOf(member.roles ?? user.roles),
  }
}

/** Returns the ids of roles: a list of ids, or of roles with ids. */
const rolesOf = (roles: unknown): Pick<NonNullable<Incoming["user"]>, "roles"> => {
  if (!Array.isArray(roles)) return {}
  const ids = roles.map(role => textIn(typeof role === "string" ? {id: role} : fieldsOf(role), "id"))
  return {roles: ids.filter(id => id !== undefined)}
}

export const messageOf = (message: Fields, proxies: readonly string[]): Pick<Incoming, "message"> => {
  const id = textIn(message, "id")
  if (id === undefined) return {}
  const at = numberIn(message, "created_at")
  const created = at === undefined || !Number.isInteger(at) ? {} : {created_at: at}
  return {message: {id, content: contentOf(message, proxies), ...created}}
}

const emojiOf = (event: Fields): Pick<Incoming, "emoji"> => {
  const emoji = fieldsOf(event.emoji)
  const name = textIn(emoji, "name")
  const id = textIn(emoji, "id") ?? name
  return id === undefined ? {} : {emoji: {id, ...(name === undefined ? {} : {name})}}
}

/** Other svc Hosts send the values of a form. */
const buttonOf = (event: Fields): Pick<Incoming, "button" | "form"> => {
  const id = textIn(fieldsOf(event.button), "id")
  if (id === undefined) return {}
  const values = Object.entries(fieldsOf(fieldsOf(event.form).values)).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  )
  return {
    button: {id: buttonIdOf(id)},
    ...(event.form === undefined ? {} : {form: {values: Object.fromEntries(values)}}),
  }
}

const rawOf = (type: string, event: Fields): Pick<Incoming, "raw"> => {
  const native = textIn(event, "_type")
  if (native === undefined && event._data === undefined) return type === "internal" ? {raw: {type, data: null}} : {}
  return {raw: {type: native ?? type, data: event._data ?? null}}
}
