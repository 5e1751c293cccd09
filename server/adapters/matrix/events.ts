import {type DatedIncoming, type Endpoint, h, type Log, renderContent} from "../../../shared/sdk/sdk.ts"
import {type Client, MatrixError, path} from "./client/client.ts"
import {membershipOf, type RoomEvent, readEvent, relationOf} from "./client/event.ts"
import {fieldsIn, Recent, textIn} from "./client/json.ts"
import type {Self} from "./client/login.ts"
import {nodesOfMessage} from "./format/incoming.ts"
import type {Rooms} from "./rooms.ts"

/** The data of an event to which later events may refer. */
interface Known {
  readonly sender: string
  readonly thread: string | undefined
  readonly reaction?: {readonly message: string; readonly key: string}
}

export interface Translating {
  readonly client: Client
  readonly self: Self
  readonly rooms: Rooms
  readonly log: Log
  readonly signal: AbortSignal
  readonly unknown: (what: string) => void
  readonly unreadable: Endpoint["unreadable"]
}

const encrypted = {
  why: "it is encrypted, and the bot has no keys",
  remediation: "Use a room without encryption, and let the bot leave this one.",
}

const replacedBy = (room = "another room") => ({
  why: `${room} has replaced it`,
  remediation: `Invite the bot to ${room}, and let it leave the old one.`,
})

/** Converts room events to the Host's events. */
export class Translator {
  readonly #to: Translating
  readonly #known = new Recent<Known>(10_000)

  constructor(to: Translating) {
    this.#to = to
  }

  isKnown(event: string): boolean {
    return this.#known.get(event) !== undefined
  }

  /** Returns undefined for events that a bot ignores: its own, notices, and unknown ones. */
  async incoming(room: string, event: RoomEvent): Promise<DatedIncoming | undefined> {
    this.#remember(event)
    if (this.reports(room, event)) return undefined
    const isOwn = event.sender === this.#to.self.id
    if (event.type === "m.room.member") return this.#member(room, event)
    if (isOwn) return undefined
    switch (event.type) {
      case "m.room.message":
      case "m.sticker":
        return this.message(room, event)
      case "m.reaction":
        return this.#reaction(room, event)
      case "m.room.redaction":
        return this.#redaction(room, event)
    }
    if (event.stateKey === undefined) this.#to.unknown(event.type)
    return undefined
  }

  /** Converts a message or an edit, by any author. */
  async message(room: string, event: RoomEvent): Promise<DatedIncoming | undefined> {
    if (event.isRedacted) return undefined
    const relation = relationOf(event.content)
    const isEdit = relation.type === "m.replace"
    if (isEdit && !(await this.#mayEdit(room, event, relation.event))) return undefined
    const content = isEdit ? fieldsIn(event.content, "m.new_content") : event.content
    const kind = event.type === "m.sticker" ? event.type : (textIn(content, "msgtype") ?? "")
    const {self, rooms} = this.#to
    const name = await rooms.memberName(room, event.sender)
    const nodes = nodesOfMessage(content, kind, {self, name, isReply: relation.reply !== undefined})
    if (nodes === undefined) return undefined
    const id = isEdit ? (relation.event ?? event.id) : event.id
    const thread = relation.type === "m.thread" ? relation.event : this.#known.get(id)?.thread
    const quote = relation.reply === undefined || isEdit ? [] : [h("quote", {id: relation.reply})]
    return {
      ...this.#base(event, isEdit ? "message-updated" : "message-created"),
      ...(await rooms.place(room, thread)),
      user: {id: event.sender, name},
      message: {id, content: renderContent([...quote, ...nodes]), ...(isEdit ? {} : {created_at: event.at})},
    }
  }

  async #reaction(room: string, event: RoomEvent): Promise<DatedIncoming | undefined> {
    const {event: message, key} = relationOf(event.content)
    if (event.isRedacted || message === undefined || key === undefined) return undefined
    return this.#reacted("reaction-added", room, event, {message, key}, event.sender)
  }

  async #reacted(
    type: string,
    room: string,
    event: RoomEvent,
    {message, key}: NonNullable<Known["reaction"]>,
    user: string,
  ): Promise<DatedIncoming> {
    const {rooms} = this.#to
    return {
      ...this.#base(event, type),
      ...(await rooms.place(room, this.#known.get(message)?.thread)),
      user: {id: user, name: await rooms.memberName(room, user)},
      message: {id: message, content: ""},
      emoji: {id: key},
    }
  }

  async #redaction(room: string, event: RoomEvent): Promise<DatedIncoming | undefined> {
    const {redacts} = event
    if (redacts === undefined) return undefined
    const known = this.#known.get(redacts)
    if (known?.reaction !== undefined)
      return known.sender === this.#to.self.id
        ? undefined
        : this.#reacted("reaction-removed", room, event, known.reaction, known.sender)
    const about = known === undefined ? await this.#fetch(room, redacts) : undefined
    if (about !== undefined && about.type !== "m.room.message" && about.type !== "m.sticker") {
      this.#to.log.debug(`${redacts} in ${room} was redacted, and the adapter does not know what it referred to`)
      return undefined
    }
    const user = known?.sender ?? about?.sender
    const {rooms} = this.#to
    return {
      ...this.#base(event, "message-deleted"),
      ...(await rooms.place(room, known?.thread)),
      ...(user === undefined ? {} : {user: {id: user, name: await rooms.memberName(room, user)}}),
      message: {id: redacts, content: ""},
    }
  }

  /** Reports a user who joined or left. For the bot itself, it reports the guild. */
  async #member(room: string, event: RoomEvent): Promise<DatedIncoming | undefined> {
    const {stateKey: user, before} = event
    if (user === undefined) return undefined
    const now = membershipOf(event)
    const [isIn, wasIn] = [now === "join", before === "join"]
    if (isIn === wasIn || (!isIn && now !== "leave" && now !== "ban")) return undefined
    const {self, rooms} = this.#to
    const {guild, channel} = await rooms.place(room)
    if (guild === undefined) return undefined
    const subject = user === self.id ? "guild" : "guild-member"
    const name = textIn(event.content, "displayname")?.trim() || (await rooms.memberName(room, user))
    return {...this.#base(event, `${subject}-${isIn ? "added" : "removed"}`), guild, channel, user: {id: user, name}}
  }

  #base({id, at, type: name, raw}: RoomEvent, type: string) {
    return {id, type, timestamp: at, raw: {type: name, data: raw}}
  }

  #remember({id, sender, type, content}: RoomEvent): void {
    if (type !== "m.room.message" && type !== "m.reaction" && type !== "m.sticker") return
    const {type: relation, event, key} = relationOf(content)
    const reaction =
      type === "m.reaction" && event !== undefined && key !== undefined ? {message: event, key} : undefined
    // Keeps a reaction from before its redaction: afterwards, the homeserver shows it without content.
    if (reaction === undefined && type === "m.reaction") return
    const thread = relation === "m.thread" ? event : undefined
    this.#known.set(id, {sender, thread, ...(reaction && {reaction})})
  }

  /** Only a message's author may edit it, but homeservers also pass on edits by others. */
  async #mayEdit(room: string, event: RoomEvent, edited: string | undefined): Promise<boolean> {
    if (edited === undefined) return false
    const sender = this.#known.get(edited)?.sender ?? (await this.#fetch(room, edited))?.sender
    if (sender === event.sender) return true
    this.#to.log.debug(`skipped an edit: ${event.sender} did not write ${edited}`)
    return false
  }

  /** Reports a room if this event says that the bot cannot read it. Returns whether it does. */
  reports(room: string, {type, content}: RoomEvent): boolean {
    const isEncrypted = type === "m.room.encrypted" || type === "m.room.encryption"
    if (!isEncrypted && type !== "m.room.tombstone") return false
    this.#to.unreadable(room, isEncrypted ? encrypted : replacedBy(textIn(content, "replacement_room")))
    return true
  }

  /** Returns undefined if the homeserver has no such event. */
  async #fetch(room: string, id: string): Promise<RoomEvent | undefined> {
    const {client, signal} = this.#to
    try {
      return readEvent(await client.ask("GET", path`/client/v3/rooms/${room}/event/${id}`, {signal}))
    } catch (error) {
      if (error instanceof MatrixError && error.status < 429 && error.status !== 401) return undefined
      throw error
    }
  }
}
