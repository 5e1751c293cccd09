import type {Element} from "@xmpp/client"
import {type Channel, type DatedIncoming, renderContent, type User} from "../../../../shared/sdk/sdk.ts"
import {ns} from "../stream/names.ts"
import type {Memory} from "./memory.ts"
import {type Named, readContent} from "./read.ts"

/** The place and the author of a message. */
export interface Scene {
  readonly channel: Channel
  /** Undefined in a direct chat. */
  readonly guild?: {readonly id: string; readonly name?: string}
  readonly user: User
  readonly bot: Named
}

export interface Said {
  /** The event's id. */
  readonly id: string
  /** The message's id. */
  readonly message: string
  /** The id by which a correction names the message. */
  readonly origin: string
  /** In milliseconds since 1970. */
  readonly at: number
}

type Rest = Pick<DatedIncoming, "message" | "emoji"> & {readonly suffix?: string}

/**
 * Returns the events of another user's message: a message, an edit, a deletion, or reactions; empty for others, such as
 * receipts. In a room, users cannot edit or delete messages of others. Deletions by the room itself are in
 * `deletedByRoom`.
 */
export const eventsOf = (message: Element, said: Said, scene: Scene, memory: Memory): readonly DatedIncoming[] => {
  const event = (type: string, {suffix = "", message: about, emoji}: Rest): DatedIncoming => ({
    id: `${said.id}${suffix}`,
    type,
    timestamp: said.at,
    channel: scene.channel,
    ...(scene.guild === undefined ? {} : {guild: scene.guild}),
    user: scene.user,
    ...(about === undefined ? {} : {message: about}),
    ...(emoji === undefined ? {} : {emoji}),
    raw: {type: "message", data: {stanza: message.toString()}},
  })
  const channel = scene.channel.id
  const reactions = message.getChild("reactions", ns.reactions)
  if (reactions?.attrs.id !== undefined) {
    const changes = reactedIn(reactions, reactions.attrs.id, scene, memory)
    noteReactions(message, channel, scene.user.id, memory)
    return changes.map(({emoji, isAdded}) =>
      event(isAdded ? "reaction-added" : "reaction-removed", {
        suffix: ` ${isAdded ? "+" : "-"}${emoji}`,
        message: {id: reactions.attrs.id ?? "", content: ""},
        emoji: {id: emoji},
      }),
    )
  }
  const retracted = retractedIn(message)
  if (retracted !== undefined) {
    if (!isTheirs(retracted, scene, memory)) return []
    return [event("message-deleted", {message: {id: retracted, content: ""}})]
  }
  const content = renderContent(readContent(message, scene.bot, scene.user.name ?? scene.user.id))
  const corrected = message.getChild("replace", ns.correct)?.attrs.id
  if (corrected !== undefined) {
    const id = memory.idOf(channel, scene.user.id, corrected) ?? (scene.guild === undefined ? corrected : undefined)
    if (id === undefined || content === "" || !isTheirs(id, scene, memory)) return []
    memory.corrected(channel, scene.user.id, said.origin, id)
    return [event("message-updated", {message: {id, content}})]
  }
  if (content === "") return []
  return [event("message-created", {message: {id: said.message, content}})]
}

/** Returns the id of the message that the sender retracts, by the current and the earlier version of XEP-0424. */
export const retractedIn = (message: Element): string | undefined => {
  const now = message.getChild("retract", ns.retract1)
  if (now !== undefined) return now.attrs.id
  const before = message.getChild("apply-to", ns.fasten)
  return before?.getChild("retract", ns.retract0) === undefined ? undefined : before.attrs.id
}

/**
 * Whether the sender wrote the message. In a room, the author must be known. In a direct chat, the only other author is
 * the bot.
 */
const isTheirs = (id: string, {channel, guild, user}: Scene, memory: Memory): boolean => {
  const known = memory.find(channel.id, id)
  return known === undefined ? guild === undefined : known.user === user.id
}

/**
 * Returns a deletion by a room's moderators, by the current and the earlier version of XEP-0425. `by` is the moderator.
 */
export const deletedByRoom = (message: Element): {readonly id: string; readonly by: string | undefined} | undefined => {
  const now = message.getChild("retract", ns.retract1)
  const before = message.getChild("apply-to", ns.fasten)
  const moderated = now?.getChild("moderated", ns.moderate1) ?? before?.getChild("moderated", ns.moderate0)
  const id = now?.attrs.id ?? before?.attrs.id
  return moderated === undefined || id === undefined ? undefined : {id, by: moderated.attrs.by}
}

/** Remembers the reactions in a stanza, which contains all reactions of its sender to a message (XEP-0444). */
export const noteReactions = (message: Element, channel: string, user: string, memory: Memory): void => {
  const reactions = message.getChild("reactions", ns.reactions)
  if (reactions?.attrs.id !== undefined) memory.react(channel, reactions.attrs.id, user, emojisIn(reactions))
}

const emojisIn = (reactions: Element): readonly string[] =>
  [...new Set(reactions.getChildren("reaction").map(reaction => reaction.getText().trim()))].filter(
    emoji => emoji !== "" && emoji.length <= 64,
  )

/** Returns the added and the removed reactions. */
const reactedIn = (reactions: Element, message: string, {channel, user}: Scene, memory: Memory) => {
  const now = emojisIn(reactions)
  const before = memory.reactions(channel.id, message, user.id)
  return [
    ...now.filter(emoji => !before.includes(emoji)).map(emoji => ({emoji, isAdded: true})),
    ...before.filter(emoji => !now.includes(emoji)).map(emoji => ({emoji, isAdded: false})),
  ]
}
