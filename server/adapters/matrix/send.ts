import {
  type DatedIncoming,
  type Edit,
  type Element,
  type Endpoint,
  isElement,
  type Node,
  type Outgoing,
  type Referred,
  refused,
  type Sender,
} from "../../../shared/sdk/sdk.ts"
import {acting, type Client, isSaid, MatrixError, path} from "./client/client.ts"
import {fieldsIn, fieldsOf, listIn, textIn} from "./client/json.ts"
import type {Self} from "./client/login.ts"
import {contentOf, quoteIn, replacing, type Text, textOfContent} from "./format/outgoing.ts"
import {kindOf, type Uploads} from "./media.ts"
import {marked, Repeats, settle} from "./repeats.ts"
import type {Rooms} from "./rooms.ts"

export interface Sending {
  readonly client: Client
  readonly self: Self
  readonly rooms: Rooms
  readonly uploads: Uploads
  readonly endpoint: Endpoint<DatedIncoming>
  /** Whether to send `m.notice` instead of `m.text`. */
  readonly notices: boolean
}

type Content = Readonly<Record<string, unknown>>
type Acts = Required<Pick<Sender, "send" | "edit" | "delete" | "react" | "unreact" | "typing">>

/** How long the bot is shown as writing, in milliseconds. A message from the bot ends it earlier. */
const typingFor = 10_000

export const createActs = (sending: Sending): Acts => {
  const {client, self, rooms} = sending
  const repeats = new Repeats(client, self)
  const put = async (room: string, type: string, id: string, body: Content, signal: AbortSignal): Promise<string> => {
    repeats.begin(id)
    const route = path`/client/v3/rooms/${room}/send/${type}/${id}`
    const answer = await client.ask("PUT", route, {body, signal}).catch(error => {
      if (error instanceof MatrixError && error.wait !== undefined) repeats.postpone(id)
      throw error
    })
    return textIn(answer, "event_id") ?? ""
  }
  const putMessage = (room: string, id: string, body: Content, signal: AbortSignal): Promise<string> =>
    put(room, "m.room.message", id, marked(body, id), signal)
  const redact = async (room: string, event: string, id: string, signal: AbortSignal): Promise<void> => {
    const route = path`/client/v3/rooms/${room}/redact/${event}/${id}`
    await client.ask("PUT", route, {body: {}, signal}).catch(error => {
      // The event no longer exists.
      if (!isSaid(error, "M_NOT_FOUND")) throw error
    })
  }
  const send = async ({id, channel, content, repeated = false}: Outgoing, signal: AbortSignal) => {
    const {room, thread} = await writable(rooms, channel, signal)
    const contents = await contentsOf(sending, content, signal)
    const relation = relationOf(thread, quoteIn(content))
    const sent = repeated ? await repeats.sentBefore(room, id, signal) : undefined
    const ids: string[] = []
    for (const [index, each] of contents.entries()) {
      const related = index === 0 || thread !== undefined ? {...each, ...relation} : each
      const transaction = index === 0 ? id : `${id}-${index + 1}`
      ids.push(sent?.get(transaction) ?? (await putMessage(room, transaction, related, signal)))
    }
    return {ids}
  }
  const edit = async ({id, channel, message, content, repeated = false}: Edit, signal: AbortSignal) => {
    const {room} = await writable(rooms, channel, signal)
    const [first, ...more] = await contentsOf(sending, content, signal)
    if (first === undefined || more.length > 0)
      throw refused("an edited Matrix message can show only one file", {
        reason: "files",
        remediation: "Send the other files in separate messages.",
      })
    const transaction = ofPart(id, message)
    if (repeated && (await repeats.sentBefore(room, transaction, signal)).has(transaction)) return
    await putMessage(room, transaction, replacing(first, message), signal)
  }
  const remove = async ({id, channel, message, repeated = false}: Referred, signal: AbortSignal) => {
    const {room} = await rooms.find(channel, signal)
    if (repeated && (await repeats.isRedacted(room, message, signal))) return
    await redact(room, message, ofPart(id, message), signal)
  }
  return {
    send: (message, signal) => acting(send(message, signal)),
    edit: (message, signal) => acting(edit(message, signal)),
    delete: (message, signal) => acting(remove(message, signal)),
    react: ({id, channel, message, emoji, repeated = false}, signal) => {
      const relation = {rel_type: "m.annotation", event_id: message, key: emoji}
      const put_ = async () => {
        const {room} = await writable(rooms, channel, signal)
        if (repeated) await settle(signal)
        if (repeated && (await ownReactions(client, self, {room, message, emoji}, signal)).length > 0) return
        await put(room, "m.reaction", id, {"m.relates_to": relation}, signal)
      }
      return acting(
        put_().catch(error => {
          if (!isSaid(error, "M_DUPLICATE_ANNOTATION")) throw error
        }),
      )
    },
    unreact: ({id, channel, message, emoji}, signal) => {
      const takeBack = async () => {
        const {room} = await rooms.find(channel, signal)
        const own = await ownReactions(client, self, {room, message, emoji}, signal)
        for (const event of own) await redact(room, event, ofPart(id, event), signal)
      }
      return acting(takeBack())
    },
    typing: async (channel, signal) => {
      const {room} = await rooms.find(channel, signal)
      const body = {typing: true, timeout: typingFor}
      await client.ask("PUT", path`/client/v3/rooms/${room}/typing/${self.id}`, {body, signal})
    },
  }
}

/**
 * Returns a transaction id per part, because all parts of a long message are edited and deleted under one outbox id.
 */
const ofPart = (id: string, event: string): string => `${id}-${event.slice(1)}`

/** Returns the room of a channel. Throws a refusal if the room is encrypted. */
const writable = async (rooms: Rooms, channel: string, signal: AbortSignal) => {
  if (!/^[!#]\S+$/.test(channel))
    throw refused(`"${channel}" is not a Matrix room`, {
      reason: "target_invalid",
      remediation: "Send to a room id (!…), to an alias (#…), or to a user by {user}.",
    })
  const found = await rooms.find(channel, signal)
  if (await rooms.isEncrypted(found.room))
    throw refused(`${channel} is encrypted, and the bot has no keys`, {
      reason: "encrypted",
      remediation: "Use a room without encryption; encryption cannot be turned off again.",
    })
  return found
}

const relationOf = (thread: string | undefined, quote: string | undefined): Content => {
  if (thread !== undefined)
    return {
      "m.relates_to": {
        rel_type: "m.thread",
        event_id: thread,
        is_falling_back: quote === undefined,
        "m.in_reply_to": {event_id: quote ?? thread},
      },
    }
  return quote === undefined ? {} : {"m.relates_to": {"m.in_reply_to": {event_id: quote}}}
}

/** Returns the events for a message: its text and its files. The text becomes the caption of a single file (v1.10). */
const contentsOf = async (
  {uploads, endpoint, notices}: Sending,
  content: readonly Node[],
  signal: AbortSignal,
): Promise<readonly Content[]> => {
  const {rest, elements} = await split(endpoint, content)
  const text = textOfContent(rest)
  const files: Content[] = []
  for (const element of elements) files.push(await fileContent(uploads, endpoint, element, signal))
  const [only] = files
  if (text.body.trim() === "") return files.length === 0 ? [contentOf(text, "m.text")] : files
  if (only !== undefined && files.length === 1) return [captioned(only, text)]
  return [contentOf(text, notices ? "m.notice" : "m.text"), ...files]
}

const captioned = (file: Content, text: Text): Content => {
  const {msgtype: _, ...caption} = contentOf(text, "")
  return {...file, ...caption}
}

/** Splits a message into its files and the rest. A file that is not stored stays in the rest, and shows its address. */
const split = async (endpoint: Endpoint<DatedIncoming>, content: readonly Node[]) => {
  const elements: Element[] = []
  const without = async (nodes: readonly Node[]): Promise<readonly Node[]> => {
    const rest: Node[] = []
    for (const node of nodes) {
      if (!isElement(node)) rest.push(node)
      else if (node.type !== "quote" && (isMxc(node) || (await endpoint.file(node)) !== undefined)) elements.push(node)
      else rest.push({...node, children: await without(node.children)})
    }
    return rest
  }
  const rest = await without(content)
  return {rest, elements}
}

const shown: readonly string[] = ["img", "audio", "video", "file"]

/** Whether this is a file of the homeserver, as in a received message. */
const isMxc = ({type, attrs}: Element): boolean => shown.includes(type) && String(attrs.src ?? "").startsWith("mxc://")

const fileContent = async (
  uploads: Uploads,
  endpoint: Endpoint<DatedIncoming>,
  element: Element,
  signal: AbortSignal,
): Promise<Content> => {
  const file = await endpoint.file(element)
  if (file === undefined) {
    const name = String(element.attrs.title ?? element.type)
    const kind = element.type === "img" ? "m.image" : `m.${element.type}`
    return {msgtype: kind, body: name, filename: name, url: String(element.attrs.src), "m.mentions": {}}
  }
  const {name, type, size} = file
  const url = await uploads.upload(file, signal)
  return {msgtype: kindOf(type), body: name, filename: name, url, info: {mimetype: type, size}, "m.mentions": {}}
}

/** The most pages of reactions to one message that are searched. */
const mostPages = 20

const ownReactions = async (
  client: Client,
  self: Self,
  {room, message, emoji}: {readonly room: string; readonly message: string; readonly emoji: string},
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const own: string[] = []
  const route = path`/client/v1/rooms/${room}/relations/${message}/m.annotation/m.reaction`
  let from: string | undefined
  for (let page = 0; page < mostPages; page++) {
    const answer = await client.ask("GET", route, {query: {from, limit: 100}, signal}).catch(error => {
      if (isSaid(error, "M_NOT_FOUND")) return {}
      throw error
    })
    for (const each of listIn(answer, "chunk").map(fieldsOf)) {
      const key = textIn(fieldsIn(fieldsIn(each, "content"), "m.relates_to"), "key")
      const id = textIn(each, "event_id")
      if (id !== undefined && each.sender === self.id && key === emoji) own.push(id)
    }
    from = textIn(answer, "next_batch")
    if (from === undefined) break
  }
  return own
}
