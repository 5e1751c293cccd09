import {randomUUID} from "node:crypto"
import {channelType, type DatedIncoming, type Incoming, Problem, renderContent} from "../../../shared/sdk/sdk.ts"
import {directChannel, isRecord} from "./api.ts"
import {toElements} from "./content.ts"
import {segmentsOf} from "./cq.ts"

type Payload = Readonly<Record<string, unknown>>

/**
 * Converts a report of the implementation to a Satori event. Undefined for the bot's own messages and meta events.
 * `unique` is the id of a report without a message. Throws `event_invalid` for a message without its ids.
 */
export const toEvent = (payload: unknown, unique: string = randomUUID()): Incoming | undefined => {
  if (!isRecord(payload) || payload.post_type === "meta_event" || payload.post_type === "message_sent") return undefined
  const {post_type: post, time} = payload
  const kind = payload[`${post}_type`]
  if (typeof post !== "string" || typeof kind !== "string") return undefined
  const timestamp = typeof time === "number" && time > 0 ? {timestamp: time * 1000} : {}
  const base = {...timestamp, ...placeOf(payload), raw: {type: `${post}.${kind}`, data: payload}}
  if (post === "message") return messageOf(payload, base)
  const {message_id: message} = payload
  const operator = userOf(payload.operator_id ?? payload.user_id)
  if (kind === "group_recall" || kind === "friend_recall") {
    if (!isId(message)) throw incomplete(kind)
    return {
      ...base,
      id: `recall:${base.channel?.id}:${message}:${time}`,
      type: "message-deleted",
      ...operator,
      message: deleted(message),
    }
  }
  const flag = typeof payload.flag === "string" && payload.flag !== "" ? payload.flag : undefined
  const request = flag === undefined ? {} : {message: {id: flag, content: textOf(payload.comment)}}
  return {...base, id: unique, type: typeOf(post, kind, payload), ...userOf(payload.user_id), ...request}
}

/** Whether this is no report that the adapter knows. It reads all but the bot's own messages. */
export const isUnknown = ({post_type: post, user_id, self_id}: Payload): boolean =>
  post !== "message_sent" && !(post === "message" && user_id === self_id)

const types: Readonly<Record<string, string>> = {
  "notice.group_increase": "guild-member-added",
  "notice.group_decrease": "guild-member-removed",
  "notice.group_admin": "guild-member-updated",
  "notice.group_card": "guild-member-updated",
  "request.friend": "friend-request",
  "request.group.add": "guild-member-request",
  "request.group.invite": "guild-request",
}

const ownTypes: Readonly<Record<string, string>> = {
  "notice.group_increase": "guild-added",
  "notice.group_decrease": "guild-removed",
}

/** Reports without a Satori type become `internal` events. */
const typeOf = (post: string, kind: string, {sub_type, user_id, self_id}: Payload): string => {
  const name = `${post}.${kind}`
  const own = user_id === self_id ? ownTypes[name] : undefined
  return own ?? types[name] ?? types[`${name}.${sub_type}`] ?? "internal"
}

const isId = (value: unknown): value is string | number =>
  typeof value === "number" || (typeof value === "string" && value !== "")

const deleted = (id: string | number) => ({id: String(id), content: ""})

const textOf = (comment: unknown): string => (typeof comment === "string" ? renderContent(comment) : "")

const userOf = (id: unknown) => (isId(id) ? {user: {id: String(id)}} : {})

/** Returns the place of a report: a group, which is a guild of one channel, or the conversation with a user. */
const placeOf = ({group_id: group, user_id: user}: Payload) => {
  if (isId(group)) return {channel: {id: String(group), type: channelType.text}, guild: {id: String(group)}}
  return isId(user) ? {channel: {id: directChannel(user), type: channelType.direct}} : {}
}

const messageOf = (payload: Payload, base: Omit<Incoming, "id" | "type">): Incoming | undefined => {
  if (payload.user_id === payload.self_id) return undefined
  const event = spokenOf(payload, base)
  if (event === undefined) throw incomplete("message")
  return event
}

const incomplete = (kind: string) =>
  new Problem("event_invalid", `a report of the type ${kind} has no message_id, or no place`)

/** Returns a message of a channel's history, including the bot's own, with the same id as the live one. */
export const toPastMessage = (
  payload: Payload,
  kind: "group" | "private",
  channel: string,
): DatedIncoming | undefined => {
  const {time} = payload
  if (typeof time !== "number" || !(time > 0)) return undefined
  const place = kind === "group" ? placeOf({group_id: channel}) : {channel: {id: channel, type: channelType.direct}}
  const event = spokenOf(payload, {...place, raw: {type: `message.${kind}`, data: payload}})
  return event && {...event, timestamp: time * 1000}
}

const spokenOf = (payload: Payload, base: Omit<Incoming, "id" | "type">): Incoming | undefined => {
  const {message_id: id, user_id: user, message} = payload
  if (!isId(id) || !isId(user) || base.channel === undefined) return undefined
  const sender = isRecord(payload.sender) ? payload.sender : {}
  const nameOf = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined)
  const anonymous = isRecord(payload.anonymous) ? nameOf(payload.anonymous.name) : undefined
  const name = anonymous ?? nameOf(sender.nickname)
  const nick = nameOf(sender.card)
  const role = base.guild === undefined || anonymous !== undefined ? undefined : nameOf(sender.role)
  return {
    ...base,
    // Implementations number messages from the start again, or by short hashes.
    id: `${base.channel.id}:${id}:${payload.time}`,
    type: "message-created",
    user: {
      id: String(user),
      ...(name === undefined ? {} : {name}),
      ...(nick === undefined ? {} : {nick}),
      ...(role === undefined ? {} : {roles: [role]}),
    },
    message: {id: String(id), content: renderContent(toElements(segmentsOf(message)))},
  }
}
