import type {Child} from "@xmpp/client"
import {
  channelType,
  type Edit,
  type Outgoing,
  type Reaction,
  type Referred,
  refused,
  type Sender,
} from "../../../shared/sdk/sdk.ts"
import {queryArchive} from "./archive/query.ts"
import type {Remembered} from "./content/memory.ts"
import {quotedLines, type Written, writeContent} from "./content/write.ts"
import {type Acting, type Place, placeOf} from "./place.ts"
import {outcomeOf, StanzaFailure} from "./stream/failures.ts"
import {bare, resourceOf} from "./stream/jid.ts"
import {ns} from "./stream/names.ts"

type Acts = Required<Pick<Sender, "send" | "edit" | "delete" | "react" | "unreact" | "typing" | "open">>

/** The acts on messages. */
export const messageActs = (acting: Acting): Acts => ({
  send: (message, signal) => send(acting, message, signal),
  edit: (change, signal) => edit(acting, change, signal),
  delete: (message, signal) => remove(acting, message, signal),
  react: (reaction, signal) => react(acting, reaction, true, signal),
  unreact: (reaction, signal) => react(acting, reaction, false, signal),
  typing: async channel => {
    const {xml} = acting.session
    const place = placeOf(acting, channel)
    const state = xml("composing", {xmlns: ns.chatStates})
    await acting.outbound.tell(place.channel, place.type, [state, xml("no-store", {xmlns: ns.hints})])
  },
  open: async user => {
    const {channel, type} = placeOf(acting, user)
    if (type === "groupchat")
      throw refused(`${channel} is a room`, {
        reason: "target_invalid",
        remediation: "Use the address of a user, such as ann@example.org.",
      })
    return {id: channel, type: channelType.direct}
  },
})

/**
 * Sends the text as one message and each file as another, because clients show a file only if the message contains
 * nothing but its address.
 */
const send = async (acting: Acting, {id, channel, content}: Outgoing, signal: AbortSignal) => {
  const {outbound, session} = acting
  const {xml} = session
  const place = placeOf(acting, channel)
  const written = write(acting, place, content)
  const parts: (readonly Child[])[] = []
  if (written.body !== "" || written.quote !== undefined) parts.push(textOf(acting, place, written))
  for (const {attrs} of written.files) {
    const src = String(attrs.src)
    parts.push([xml("body", {}, src), xml("x", {xmlns: ns.oob}, xml("url", {}, src))])
  }
  const ids: string[] = []
  for (const [index, part] of parts.entries()) {
    const origin = index === 0 ? id : `${id}-${index + 1}`
    // An earlier attempt may have arrived although its answer did not.
    ids.push(outbound.arrivedAs(origin) ?? (await place.post(origin, part, signal)))
  }
  return {ids}
}

const edit = async (acting: Acting, {id, channel, message, content}: Edit, signal: AbortSignal): Promise<void> => {
  const place = placeOf(acting, channel)
  const found = await find(acting, place, message, signal)
  if (found?.user !== undefined)
    throw refused("the bot cannot edit messages of others", {
      reason: "unsupported",
      remediation: "Edit only the bot's own messages.",
    })
  // In a direct chat, the sender's id names a message; in a room, the room's id does.
  const named = found?.origin ?? (place.type === "chat" ? message : undefined)
  if (named === undefined)
    throw refused(`the room has no message ${message}`, {
      reason: "message_unknown",
      remediation: "Turn on the room's archive; messages older than the archive cannot be edited.",
    })
  const written = write(acting, place, content, true)
  await place.post(
    id,
    [...textOf(acting, place, written), acting.session.xml("replace", {xmlns: ns.correct, id: named})],
    signal,
  )
}

/** Retracts the bot's own messages. In a room, a bot that is moderator lets the room delete messages of others. */
const remove = async (acting: Acting, {id, channel, message}: Referred, signal: AbortSignal): Promise<void> => {
  const {session} = acting
  const {xml} = session
  const place = placeOf(acting, channel)
  const found = await find(acting, place, message, signal)
  if (found?.user !== undefined) return moderate(acting, place, message, signal)
  await place.post(
    id,
    [
      xml("retract", {xmlns: ns.retract1, id: message}),
      // For clients from before 2024.
      xml("apply-to", {xmlns: ns.fasten, id: message}, xml("retract", {xmlns: ns.retract0})),
      xml("fallback", {xmlns: ns.fallback, for: ns.retract1}),
      xml("body", {}, "The bot has deleted a message. Your client cannot hide it."),
      xml("store", {xmlns: ns.hints}),
    ],
    signal,
  )
}

const moderate = async ({session}: Acting, place: Place, message: string, signal: AbortSignal): Promise<void> => {
  const {xml} = session
  const {room, channel} = place
  if (room === undefined || place.type === "chat")
    throw refused("in a direct chat, the bot cannot delete the other user's messages", {
      reason: "unsupported",
      remediation: "Delete only the bot's own messages.",
    })
  const request = room.features.has(ns.moderate1)
    ? xml("moderate", {xmlns: ns.moderate1, id: message}, xml("retract", {xmlns: ns.retract1}))
    : room.features.has(ns.moderate0)
      ? xml(
          "apply-to",
          {xmlns: ns.fasten, id: message},
          xml("moderate", {xmlns: ns.moderate0}, xml("retract", {xmlns: ns.retract0})),
        )
      : undefined
  if (request === undefined)
    throw refused(`${channel} has no moderation of messages`, {
      reason: "unsupported",
      remediation: "Turn on message moderation (XEP-0425) on the room's server.",
    })
  await session.iq("set", channel, request, signal).catch(error => {
    // The message no longer exists.
    if (!(error instanceof StanzaFailure) || error.condition !== "item-not-found") throw outcomeOf(channel, error)
  })
}

/** Sends all of the bot's reactions to a message in one stanza (XEP-0444). */
const react = async (
  acting: Acting,
  {id, channel, message, emoji}: Reaction,
  isThere: boolean,
  signal: AbortSignal,
): Promise<void> => {
  const {session, memory} = acting
  const {xml} = session
  const place = placeOf(acting, channel)
  const before = memory.reactions(place.channel, message, session.own)
  const others = before.filter(each => each !== emoji)
  const now = isThere ? [...others, emoji] : others
  const reactions = xml("reactions", {xmlns: ns.reactions, id: message}, ...now.map(each => xml("reaction", {}, each)))
  await place.post(id, [reactions, xml("store", {xmlns: ns.hints})], signal)
  memory.react(place.channel, message, session.own, now)
}

const write = ({session}: Acting, {room}: Place, content: Outgoing["content"], withFiles = false): Written =>
  writeContent(content, {
    withFiles,
    nickOf: id => {
      if (room === undefined) return undefined
      if (id === session.own) return room.nick
      return bare(id) === room.jid ? resourceOf(id) || undefined : room.nickOfAccount(bare(id))
    },
  })

/** Returns the elements of a text, including the quoted message. */
const textOf = (acting: Acting, place: Place, {body, isStyled, quote}: Written): readonly Child[] => {
  const {xml} = acting.session
  const hint = isStyled ? undefined : xml("unstyled", {xmlns: ns.styling})
  if (quote === undefined) return [xml("body", {}, body), hint]
  const known = acting.memory.find(place.channel, quote.id)
  const before = quotedLines(quote.text || (known?.text ?? ""))
  const reply = xml("reply", {xmlns: ns.reply, id: quote.id, to: known?.from})
  if (before === "") return [xml("body", {}, body), hint, reply]
  const range = xml("body", {start: "0", end: String(Array.from(before).length)})
  return [xml("body", {}, before + body), hint, reply, xml("fallback", {xmlns: ns.fallback, for: ns.reply}, range)]
}

/** Returns a message from the bot's memory, otherwise from the room's archive. */
const find = async (acting: Acting, place: Place, id: string, signal: AbortSignal): Promise<Remembered | undefined> => {
  const {memory, session, receiver} = acting
  const {channel, room, type} = place
  const known = memory.find(channel, id)
  if (known !== undefined || type === "chat" || room?.features.has(`${ns.mam}#extended`) !== true) return known
  const {items} = await queryArchive(session, {archive: channel, ids: [id], max: 1}, signal).catch(error => {
    if (error instanceof StanzaFailure) return {items: []}
    throw error
  })
  for (const archived of items) receiver.remember(channel, archived)
  return memory.find(channel, id)
}
