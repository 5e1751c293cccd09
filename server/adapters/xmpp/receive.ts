import type {Element} from "@xmpp/client"
import {channelType, type DatedIncoming, type Endpoint, type Log, type User} from "../../../shared/sdk/sdk.ts"
import type {Intake} from "./archive/intake.ts"
import type {Archived} from "./archive/query.ts"
import type {Reader} from "./archive/reader.ts"
import {deletedByRoom, eventsOf, noteReactions, type Said, type Scene} from "./content/events.ts"
import type {Memory} from "./content/memory.ts"
import type {Named} from "./content/read.ts"
import {accountsIn, idsIn, type Kept, saidOf} from "./content/said.ts"
import type {Room} from "./rooms/room.ts"
import {bare, localOf, normal, resourceOf} from "./stream/jid.ts"
import {encryptions, ns} from "./stream/names.ts"

export interface ReceiverOptions {
  /** The account's address and name. */
  readonly own: string
  readonly name: string
  readonly log: Log
  readonly unreadable: Endpoint["unreadable"]
  readonly intake: Intake
  readonly memory: Memory
  readonly room: (jid: string) => Room | undefined
  /** Called when a room sends back a message of the bot, with the room's id for it. */
  readonly echoed: (origin: string, id: string) => void
  /** Called when a message of the bot could not be delivered. */
  readonly bounced: (stanza: Element) => void
}

/** The archive of a message, and facts beyond its own text. */
interface Source extends Kept {
  /** The address of the archive. */
  readonly archive: string
  readonly isLive: boolean
  readonly onlyOurs?: true
}

const encrypted = {why: "the messages are encrypted", remediation: "Turn OMEMO off for this chat."}

/** Converts live and archived messages to events, and remembers data to which later messages refer. */
export class Receiver {
  /** The reader of the account's archive; undefined if it has none. */
  reader: Reader | undefined
  readonly #options: ReceiverOptions

  constructor(options: ReceiverOptions) {
    this.#options = options
  }

  /** Handles a live message. */
  live(stanza: Element): void {
    if (stanza.getChild("result", ns.mam) !== undefined) return
    const message = this.#unwrap(stanza)
    const {from, type} = message.attrs
    if (from === undefined) return
    if (type === "error") this.#options.bounced(message)
    else if (type !== "groupchat") this.#take(message, undefined)
    // A delayed message is part of the room's history. The archive has it with its id.
    else if (message.getChild("delay", ns.delay) === undefined) this.#options.room(bare(from))?.message(message)
  }

  /** Handles a message of a known room. */
  inRoom(message: Element): void {
    this.#take(message, this.#options.room(bare(message.attrs.from ?? "")))
  }

  #take(message: Element, room: Room | undefined): void {
    const archive = room?.jid ?? this.#options.own
    const reader = room === undefined ? this.reader : room.reader
    const [id, ...more] = reader === undefined ? [] : idsIn(message, archive)
    // If a message has several ids, all but one are forged, and Prosody 0.12.3 lets them through. Messages that the
    // server stored while the account was offline may have none. The archive has both kinds with their ids.
    const isKept = id === undefined && message.getChild("delay", ns.delay) !== undefined
    if (reader !== undefined && (more.length > 0 || isKept)) {
      reader.missed()
      return
    }
    const at = Date.now()
    const events = this.#read(message, {archive, id, at, isLive: true})
    if (reader !== undefined && id !== undefined) reader.live(id, at, events)
    else if (events.length > 0) void this.#options.intake.add({events: events.map(event => ({...event, isKept}))})
  }

  /** Returns the events of an archived message. */
  readonly archived = (archive: string, {id, at, message}: Archived): readonly DatedIncoming[] =>
    this.#read(message, {archive, id, at, isLive: false})

  /** Works like `archived` for a message that was already delivered: it only remembers it. */
  remember(archive: string, archived: Archived): void {
    this.archived(archive, archived)
  }

  /** Remembers a message only if it is the bot's. Others are delivered later, and update the memory then. */
  rememberOurs(archive: string, {id, at, message}: Archived): void {
    this.#read(message, {archive, id, at, isLive: false, onlyOurs: true})
  }

  /**
   * Returns the message inside a carbon copy from another client of the account; that client's own messages are the
   * account's.
   */
  #unwrap(stanza: Element): Element {
    const copy = stanza.getChild("received", ns.carbons) ?? stanza.getChild("sent", ns.carbons)
    const {from} = stanza.attrs
    // Anyone can send a message that looks like a copy (CVE-2017-5589).
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

  /**
   * Reads a message of the room itself, such as a deletion by moderators. Changes of subject and settings are not
   * messages.
   */
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
    // A private message from a user in a room comes from the room's address.
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
   * Returns the user for an occupant. The room vouches for the account: of a current occupant, and of an archived
   * message if the archive names the same account.
   */
  #occupant(message: Element, room: Room, nick: string, {isLive}: Source): User {
    const {account, affiliation} = room.occupants.get(nick) ?? {}
    const isVouched = account !== undefined && (isLive || accountsIn(message).every(each => each === account))
    // An archived message may be of somebody who had the nick before.
    const roles = isLive && affiliation !== undefined ? {roles: [affiliation]} : {}
    return {id: room.occupant(nick), name: nick, ...(isVouched ? {account} : {}), ...roles}
  }

  #isOurs(message: Element, room: Room, nick: string): boolean {
    const [account, ...more] = accountsIn(message)
    if (account !== undefined && more.length === 0) return account === this.#options.own
    return room.mayBeOurs(nick)
  }

  #isEncrypted(message: Element, user: string): boolean {
    const isEncrypted = encryptions.some(([name, xmlns]) => message.getChild(name, xmlns) !== undefined)
    this.#options.unreadable(user, isEncrypted ? encrypted : undefined)
    return isEncrypted
  }
}

const isOf = (child: Element | string, xmlns: string): boolean => typeof child !== "string" && child.getNS() === xmlns
