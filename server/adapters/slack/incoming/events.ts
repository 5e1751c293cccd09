import {type DatedIncoming, renderContent, type User} from "../../../../shared/sdk/sdk.ts"
import {idIn, type Payload, payloadOf, textIn, timeOf, tsIn} from "../api/payload.ts"
import {placedAt} from "../api/place.ts"
import {emojiText} from "../content/emoji.ts"
import {readMessage} from "../content/read.ts"
import type {Threads} from "./threads.ts"

/** The bot's own ids. */
export interface Me {
  /** The bot's user. */
  readonly user: string
  /** The app's bot, which posts the messages. */
  readonly bot?: string
}

export interface Reading {
  readonly me: Me
  readonly threads: Threads
}

/**
 * Reads one kind of event; empty if svc does not need it. `id` is Slack's id of the event, the same for every delivery.
 */
type Read = (event: Payload, id: string, reading: Reading) => readonly DatedIncoming[]

/** Subtypes of messages by users and bots (https://docs.slack.dev/reference/events/message). */
const said: ReadonlySet<string | undefined> = new Set([
  undefined,
  "file_share",
  "thread_broadcast",
  "me_message",
  "bot_message",
])

/** Reads a message, with the same id live and in the history. Undefined for system messages and the bot's own. */
export const messageEvent = (message: Payload, channel: string, {me, threads}: Reading): DatedIncoming | undefined => {
  const ts = tsIn(message, "ts")
  const subtype = textIn(message, "subtype")
  const user = authorOf(message)
  if (ts === undefined || user === undefined || !said.has(subtype) || isOwn(message, me)) return undefined
  const thread = threadOf(message)
  threads.learn(channel, ts, thread)
  return {
    id: `message/${channel}/${ts}`,
    type: "message-created",
    timestamp: timeOf(ts),
    ...placedAt(channel, thread),
    user,
    message: {id: ts, content: renderContent(readMessage(message, thread)), created_at: timeOf(ts)},
    raw: {type: "message", data: message},
  }
}

/** Returns the root message of the thread; undefined for the root itself. */
const threadOf = (message: Payload): string | undefined => {
  const thread = tsIn(message, "thread_ts")
  return thread === tsIn(message, "ts") ? undefined : thread
}

const authorOf = (message: Payload): User | undefined => {
  const user = idIn(message, "user")
  const bot = idIn(message, "bot_id")
  const id = user ?? bot
  if (id === undefined) return undefined
  const name = user === undefined ? textIn(message, "username") : undefined
  return {id, ...(name === undefined ? {} : {name}), ...(bot === undefined ? {} : {is_bot: true})}
}

const isOwn = (message: Payload, me: Me): boolean =>
  message.user === me.user || (me.bot !== undefined && message.bot_id === me.bot)

const message: Read = (event, id, reading) => {
  const channel = idIn(event, "channel")
  if (channel === undefined) return []
  switch (textIn(event, "subtype")) {
    case "message_changed":
      return changed(event, id, channel, reading)
    case "message_deleted":
      return deleted(payloadOf(event.previous_message), tsIn(event, "deleted_ts"), event, id, channel, reading)
    default: {
      const found = messageEvent(event, channel, reading)
      return found === undefined ? [] : [found]
    }
  }
}

/** Slack also reports a change when it unfurls a link, or counts the replies of a thread. */
const changed = (event: Payload, id: string, channel: string, reading: Reading): readonly DatedIncoming[] => {
  const [now, before] = [payloadOf(event.message), payloadOf(event.previous_message)]
  if (now.subtype === "tombstone") return deleted(before, tsIn(now, "ts"), event, id, channel, reading)
  const edited = tsIn(payloadOf(now.edited), "ts")
  if (edited === undefined || edited === tsIn(payloadOf(before.edited), "ts")) return []
  const found = messageEvent(now, channel, reading)
  if (found === undefined) return []
  return [
    {...found, id, type: "message-updated", timestamp: timeOf(edited), raw: {type: "message_changed", data: event}},
  ]
}

const deleted = (
  before: Payload,
  ts: string | undefined,
  event: Payload,
  id: string,
  channel: string,
  {me, threads}: Reading,
): readonly DatedIncoming[] => {
  if (ts === undefined || isOwn(before, me)) return []
  const user = authorOf(before)
  return [
    {
      id,
      type: "message-deleted",
      timestamp: timeOf(tsIn(event, "event_ts") ?? tsIn(event, "ts") ?? ts),
      ...placedAt(channel, threadOf(before) ?? threads.of(channel, ts)),
      ...(user === undefined ? {} : {user}),
      message: {id: ts, content: ""},
      raw: {type: "message_deleted", data: event},
    },
  ]
}

const reaction =
  (type: "reaction-added" | "reaction-removed"): Read =>
  (event, id, {me, threads}) => {
    const item = payloadOf(event.item)
    const [channel, ts] = [idIn(item, "channel"), tsIn(item, "ts")]
    const [user, name] = [idIn(event, "user"), textIn(event, "reaction")]
    if (channel === undefined || ts === undefined || user === undefined || name === undefined || user === me.user)
      return []
    return [
      {
        id,
        type,
        timestamp: timeOf(tsIn(event, "event_ts") ?? ts),
        ...placedAt(channel, threads.of(channel, ts)),
        user: {id: user},
        // The reaction as the event's text.
        message: {id: ts, content: renderContent(emojiText(name))},
        emoji: {id: emojiText(name)},
        raw: {type: String(event.type), data: event},
      },
    ]
  }

const member =
  (change: "added" | "removed"): Read =>
  (event, id, {me}) => {
    const [channel, user] = [idIn(event, "channel"), idIn(event, "user")]
    const ts = tsIn(event, "event_ts")
    if (channel === undefined || user === undefined) return []
    return [
      {
        id,
        type: user === me.user ? `guild-${change}` : `guild-member-${change}`,
        timestamp: ts === undefined ? Date.now() : timeOf(ts),
        ...placedAt(channel),
        user: {id: user},
        raw: {type: String(event.type), data: event},
      },
    ]
  }

const reads: ReadonlyMap<string, Read> = new Map([
  ["message", message],
  // The same message as in `message`, for an app that receives only mentions.
  ["app_mention", message],
  ["reaction_added", reaction("reaction-added")],
  ["reaction_removed", reaction("reaction-removed")],
  ["member_joined_channel", member("added")],
  ["member_left_channel", member("removed")],
])

/** Returns the type of the event in a payload that the adapter does not read; undefined if it reads it. */
export const unreadType = (body: Payload): string | undefined => {
  const type = textIn(payloadOf(body.event), "type") ?? "event"
  return reads.has(type) ? undefined : type
}

/** Returns the events of one payload of the Events API (https://docs.slack.dev/apis/events-api). */
export const readEvents = (body: Payload, reading: Reading): readonly DatedIncoming[] => {
  const event = payloadOf(body.event)
  const id = textIn(body, "event_id")
  const read = reads.get(textIn(event, "type") ?? "")
  return id === undefined || read === undefined ? [] : read(event, `event/${id}`, reading)
}
