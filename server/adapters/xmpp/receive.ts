import {randomUUID} from "node:crypto"
import type {Element} from "@xmpp/client"
import {channelType, type DatedIncoming, type Log, type User} from "../../../shared/sdk/sdk.ts"
import type {Intake} from "./archive/intake.ts"
import type {Archived} from "./archive/query.ts"
import type {Reader} from "./archive/reader.ts"
import {deletedByRoom, eventsOf, noteReactions, type Said, type Scene} from "./content/events.ts"
import type {Named} from "./content/read.ts"
import type {Memory} from "./memory.ts"
import type {Room} from "./rooms/room.ts"
import {bare, localOf, normal, resourceOf} from "./stream/jid.ts"
import {encryptions, ns} from "./stream/names.ts"

export interface ReceiverOptions {
  /** The account's address, and its name. */
  readonly own: string
  readonly name: string
  readonly log: Log
  readonly intake: Intake
  readonly memory: Memory
  readonly room: (jid: string) => Room | undefined
  /** A message of the bot has come back from a room, under the id that the room gives it. */
  readonly echoed: (origin: string, id: string) => void
  /** What the bot sent did not reach whom it was for. */
  readonly bounced: (stanza: Element) => void
}

/** Where a message is kept and what is known of it beside its own text. */
interface Source {
  /** The address of the archive, and the message's id there. */
  readonly archive: string
  readonly id: string | undefined
  readonly at: number
  readonly isLive: boolean
  readonly onlyOurs?: true
}

/** Makes events of messages, live ones and those of archives, and remembers what later ones refer to. */
export class Receiver {
  /** Reads the account's archive; undefined where it has none. */
  reader: Reader | undefined
  readonly #options: ReceiverOptions
  readonly #encrypting = new Set<string>()

  constructor(options: ReceiverOptions) {
    this.#options = options
  }

  /** A message as it comes live. */
  live(stanza: Element): void {
    if (stanza.getChild("result", ns.mam) !== undefined) return
    const message = this.#unwrap(stanza)
    const {from, type} = message.attrs
    if (from === undefined) return
    if (type === "error") this.#options.bounced(message)
    else if (type !== "groupchat") this.#take(message, undefined)
    // What has a delay is the room's history; the archive has it under its ids.
    else if (message.getChild("delay", ns.delay) === undefined) this.#options.room(bare(from))?.message(message)
  }

  /** A message of a room that is known. */
  inRoom(message: Element): void {
    this.#take(message, this.#options.room(bare(message.attrs.from ?? "")))
  }

  #take(message: Element, room: Room | undefined): void {
    const archive = room?.jid ?? this.#options.own
    const reader = room === undefined ? this.reader : room.reader
    const [id, ...more] = reader === undefined ? [] : idsIn(message, archive)
    // With several ids all but one are forged, and Prosody 0.12.3 lets them through. What the server kept for the
    // account while it was offline may have none. The archive has both under their ids.
    const isKept = id === undefined && message.getChild("delay", ns.delay) !== undefined
    if (reader !== undefined && (more.length > 0 || isKept)) {
      reader.missed()
      return
    }
    const at = Date.now()
    const events = this.#read(message, {archive, id, at, isLive: true})
    if (reader !== undefined && id !== undefined) reader.live(id, at, events)
    else if (events.length > 0) void this.#options.intake.add({events})
  }

  /** What a message of an archive comes to. */
  readonly archived = (archive: string, {id, at, message}: Archived): readonly DatedIncoming[] =>
    this.#read(message, {archive, id, at, isLive: false})

  /** As `archived`, for a message that was handed over before: only remembered. */
  remember(archive: string, archived: Archived): void {
    this.archived(archive, archived)
  }

  /** Remembers a message of the bot; others are handed over later, and change then what is known. */
  rememberOurs(archive: string, {id, at, message}: Archived): void {
    this.#read(message, {archive, id, at, isLive: false, onlyOurs: true})
  }

  /** The message in a copy of what another client of the account received; what that sent is the account's own. */
  #unwrap(stanza: Element): Element {
    const copy = stanza.getChild("received", ns.carbons) ?? stanza.getChild("sent", ns.carbons)
    const {from} = stanza.attrs
    // Anybody can send what looks like a copy (CVE-2017-5589).
    if (copy === undefined || (from !== undefined && from !== this.#options.own)) return stanza
    return copy.getChild("forwarded", ns.forward)?.getChild("message") ?? stanza
  }

  #read(message: Element, source: Source): readonly DatedIncoming[] {
    const {from, type} = message.attrs
    if (from === undefined || type === "error" || type === "headline") return []
    if (type === "groupchat") return this.#readInRoom(message, from, source)
    return source.archive === this.#options.own ? this.#readDirect(message, from, source) : []
  }

  #readInRoom(message: Element, from: string, source: Source): readonly DatedIncoming[] {
    const {own, name, memory} = this.#options
    const room = this.#options.room(bare(from))
    if (room === undefined || room.jid !== source.archive) return []
    const nick = resourceOf(from)
    const place = {
      channel: {id: room.jid, name: room.name, type: channelType.text},
      guild: {id: room.jid, name: room.name},
    }
    const said = saidOf(message, source, room.jid, source.id)
    if (nick === "") return this.#readOfRoom(message, room, said, place)
    const isOurs = source.isLive ? nick === room.nick : this.#isOurs(message, room, nick)
    const user = isOurs ? undefined : this.#occupant(message, room, nick, source)
    if (user !== undefined && source.onlyOurs) return []
    const bot: Named = {id: own, name, nick: room.nick, occupant: room.occupant(room.nick)}
    this.#note(room.jid, message, said, user?.id, from, source)
    if (user === undefined) {
      noteReactions(message, room.jid, own, memory)
      this.#options.echoed(said.origin, said.message)
      return []
    }
    if (this.#isEncrypted(message, user.id)) return []
    return eventsOf(message, said, {...place, user, bot}, memory)
  }

  /** What the room says itself: moderators have deleted a message. Its subject and its settings are no messages. */
  #readOfRoom(message: Element, room: Room, said: Said, place: Omit<Scene, "user" | "bot">): readonly DatedIncoming[] {
    const deleted = deletedByRoom(message)
    if (deleted === undefined) return []
    const by = deleted.by === undefined ? undefined : resourceOf(deleted.by)
    return [
      {
        id: said.id,
        type: "message-deleted",
        timestamp: said.at,
        ...place,
        ...(by ? {user: {id: room.occupant(by), name: by}} : {}),
        message: {id: deleted.id, content: ""},
      },
    ]
  }

  #readDirect(message: Element, from: string, source: Source): readonly DatedIncoming[] {
    const {own, name, memory, room} = this.#options
    const isOurs = bare(from) === own
    const peer = isOurs ? message.attrs.to : from
    if (peer === undefined || bare(peer) === own) return []
    if (message.getChild("x", ns.mucUser)?.getChild("invite") ?? message.getChild("x", ns.conference)) {
      this.#options.log.info(`${bare(from)} invited the bot to a room; add it to rooms to enter`)
      return []
    }
    const found = room(bare(peer))
    // A private message of somebody in a room comes from there.
    const channel = found === undefined ? bare(peer) : normal(peer)
    const nick = resourceOf(peer)
    if (found !== undefined && nick === "") return []
    if (!isOurs && source.onlyOurs) return []
    const said = saidOf(message, source, own, message.attrs.id)
    this.#note(channel, message, said, isOurs ? undefined : channel, from, source)
    if (isOurs) {
      noteReactions(message, channel, own, memory)
      this.#options.echoed(said.origin, said.message)
      return []
    }
    if (this.#isEncrypted(message, channel)) return []
    const user =
      found === undefined
        ? {id: channel, name: localOf(channel) || channel, account: channel}
        : this.#occupant(message, found, nick, source)
    const scene = {
      channel: {id: channel, name: user.name ?? channel, type: channelType.direct},
      user,
      bot: {id: own, name},
    }
    return eventsOf(message, said, scene, memory)
  }

  #note(channel: string, message: Element, said: Said, user: string | undefined, from: string, {id}: Source): void {
    const text = message.getChild("body")?.getText()
    const isOther = [ns.correct, ns.retract1, ns.reactions].some(each =>
      message.children.some(child => isOf(child, each)),
    )
    if (text === undefined || isOther) return
    const archived = id === undefined ? {} : {archived: id}
    this.#options.memory.remember(channel, {id: said.message, origin: said.origin, user, text, from, ...archived})
  }

  /**
   * Somebody in a room. The account is the room's word: of who is there now, and of a message in its archive if that
   * says the same.
   */
  #occupant(message: Element, room: Room, nick: string, {isLive}: Source): User {
    const account = room.occupants.get(nick)?.account
    const isVouched = account !== undefined && (isLive || accountsIn(message).every(each => each === account))
    return {id: room.occupant(nick), name: nick, ...(isVouched ? {account} : {})}
  }

  #isOurs(message: Element, room: Room, nick: string): boolean {
    const [account, ...more] = accountsIn(message)
    if (account !== undefined && more.length === 0) return account === this.#options.own
    return room.mayBeOurs(nick)
  }

  #isEncrypted(message: Element, user: string): boolean {
    if (!encryptions.some(([name, xmlns]) => message.getChild(name, xmlns) !== undefined)) return false
    if (!this.#encrypting.has(user))
      this.#options.log.warn(
        `${user} sends encrypted messages, which the bot cannot read: turn OMEMO off for this chat`,
      )
    this.#encrypting.add(user)
    return true
  }
}

const isOf = (child: Element | string, xmlns: string): boolean => typeof child !== "string" && child.getNS() === xmlns

/** The id that an archive has given a message (XEP-0359), and what looks like it. */
const idsIn = (message: Element, archive: string): readonly string[] =>
  message
    .getChildren("stanza-id", ns.sid)
    .filter(({attrs}) => normal(attrs.by ?? "") === archive)
    .flatMap(({attrs}) => attrs.id || [])

/** Accounts that a room's archive names as the author's. */
const accountsIn = (message: Element): readonly string[] =>
  message
    .getChildren("x", ns.mucUser)
    .flatMap(part => part.getChildren("item"))
    .flatMap(({attrs}) => (attrs.jid === undefined ? [] : [bare(attrs.jid)]))

const saidOf = (message: Element, {id, at}: Source, archive: string, named: string | undefined): Said => {
  const origin = message.getChild("origin-id", ns.sid)?.attrs.id || message.attrs.id || id || randomUUID()
  const from = message.attrs.from ?? ""
  return {
    // Ids are unique within an archive only; without one, the sender's word is all there is.
    id: id === undefined ? `${from} ${origin}` : `${archive} ${id}`,
    message: named || origin,
    origin: message.attrs.id || origin,
    at,
  }
}
