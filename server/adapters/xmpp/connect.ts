import {randomUUID} from "node:crypto"
import {setTimeout as sleep} from "node:timers/promises"
import type {Element} from "@xmpp/client"
import type {DatedIncoming, Endpoint, Sender} from "../../../shared/sdk/sdk.ts"
import {Intake} from "./archive/intake.ts"
import {Reader} from "./archive/reader.ts"
import {Memory} from "./content/memory.ts"
import {fileActs} from "./files.ts"
import {historyActs} from "./history.ts"
import {memberActs} from "./members.ts"
import {Outbound} from "./outbound.ts"
import {callOwn} from "./own-methods.ts"
import type {Acting} from "./place.ts"
import {Receiver} from "./receive.ts"
import {Room, type RoomHooks} from "./rooms/room.ts"
import {messageActs} from "./send.ts"
import type {AccountSettings} from "./stream/account.ts"
import {discover} from "./stream/discover.ts"
import {isPassing, StanzaFailure} from "./stream/failures.ts"
import {bare, localOf} from "./stream/jid.ts"
import {ns} from "./stream/names.ts"
import {Session} from "./stream/session.ts"

/** In milliseconds: the interval of connection checks, and how long rooms may delay the online state. */
const times = {look: 60_000, rooms: 20_000} as const

/** After this many connection checks, the adapter asks the rooms whether the bot is still in them. */
const roomLooks = 5

/**
 * Logs in, enters the rooms, and continues reading the archives. Throws a refusal if the server rejects the account
 * permanently.
 */
export const connect = async (account: AccountSettings, endpoint: Endpoint<DatedIncoming>): Promise<Sender> => {
  const session = await Session.login(account, {load: endpoint.load, signal: endpoint.signal})
  endpoint.defer(() => session.close())
  const own = bare(account.jid)
  const name = account.nick ?? localOf(own)
  endpoint.login({platform: "xmpp", user: {id: own, name, is_bot: true}, status: 1})
  const connection = new Connection(account, endpoint, session, name)
  await connection.begin()
  const lose = () => endpoint.lost(session.ended.reason)
  if (session.ended.aborted) lose()
  else session.ended.addEventListener("abort", lose, {once: true})
  void connection.watch().catch(error => endpoint.lost(error))
  const {acting} = connection
  const {call: callMember} = memberActs(acting)
  return {
    ...messageActs(acting),
    ...historyActs(acting),
    call: (method, params, signal) => {
      const [name = "", own] = method.split("/")
      return own === undefined ? callMember(name, params, signal) : callOwn(session, own, params, signal)
    },
    ...fileActs(session),
  }
}

/** The parts of one connection. */
class Connection {
  readonly acting: Acting
  readonly #account: AccountSettings
  readonly #endpoint: Endpoint<DatedIncoming>
  readonly #session: Session
  readonly #intake: Intake
  readonly #receiver: Receiver
  readonly #rooms: ReadonlyMap<string, Room>

  constructor(account: AccountSettings, endpoint: Endpoint<DatedIncoming>, session: Session, name: string) {
    this.#account = account
    this.#endpoint = endpoint
    this.#session = session
    const {log, unreadable} = endpoint
    const {own} = session
    const hooks: RoomHooks = {
      entered: room => this.#entered(room),
      heard: message => this.#receiver.inRoom(message),
      moved: (room, nick, known, isIn) => this.#moved(room, nick, known, isIn),
      unreadable,
    }
    const rooms = (account.rooms ?? []).map(settings => new Room(settings, name, session, log, hooks))
    this.#rooms = new Map(rooms.map(room => [room.jid, room]))
    this.#intake = new Intake(endpoint, new Set([own, ...this.#rooms.keys()]))
    const outbound = new Outbound(session)
    const memory = new Memory()
    const room = (jid: string) => this.#rooms.get(jid)
    const {echoed, bounced} = outbound
    this.#receiver = new Receiver({own, name, log, unreadable, intake: this.#intake, memory, room, echoed, bounced})
    this.acting = {session, outbound, memory, receiver: this.#receiver, room}
  }

  /** Resolves once messages can be sent, and a kill cannot lose received ones. */
  async begin(): Promise<void> {
    const {xml} = this.#session
    // Before the first presence: a server whose archive is queried does not also send the messages that it stored
    // offline.
    const reader = await this.#openArchive(this.#session.own)
    this.#receiver.reader = reader
    this.#session.onStanza(stanza => this.#hear(stanza))
    await this.#session.iq("set", undefined, xml("enable", {xmlns: ns.carbons})).catch(error => {
      if (!(error instanceof StanzaFailure)) throw error
    })
    await this.#session.send(xml("presence", {}))
    const entered = [...this.#rooms.values()].map(async room => {
      await room.enter()
      await room.reader?.based()
    })
    // A room may not answer, and while ingress is paused no position can be stored.
    await Promise.race([Promise.all([reader?.based(), ...entered]), sleep(times.rooms, undefined, {ref: false})])
    void reader?.read()
  }

  /**
   * Checks whether the connection is alive, and whether the rooms still have the bot. Rejects if the server does not
   * answer.
   */
  async watch(): Promise<void> {
    const {ended} = this.#session
    for (let looks = 1; !ended.aborted; looks++) {
      await sleep(times.look, undefined, {signal: ended, ref: false}).catch(() => {})
      if (ended.aborted) return
      await this.#session.fence()
      if (looks % roomLooks === 0) for (const room of this.#rooms.values()) await room.confirm()
    }
  }

  #hear(stanza: Element): void {
    if (stanza.is("message")) this.#receiver.live(stanza)
    else if (stanza.is("presence")) this.#hearPresence(stanza)
  }

  #hearPresence(stanza: Element): void {
    const {from, type} = stanza.attrs
    if (from === undefined) return
    const room = this.#rooms.get(bare(from))
    room?.presence(stanza)
    if (room !== undefined || type !== "subscribe" || this.#account.subscriptions === "ignore") return
    const answer = this.#session.xml("presence", {to: bare(from), type: "subscribed"})
    this.#session
      .send(answer)
      .catch(error => this.#endpoint.log.debug("could not answer a subscription request", {error}))
  }

  async #entered(room: Room): Promise<void> {
    const reader = room.reader ?? (await this.#openArchive(room.jid, room.features))
    room.reader = reader
    reader?.missed()
  }

  /**
   * Opens the archive of this address, and remembers its newest messages. Returns undefined, with a log line, if there
   * is no archive.
   */
  async #openArchive(archive: string, known?: ReadonlySet<string>): Promise<Reader | undefined> {
    const session = this.#session
    const {log} = this.#endpoint
    const intake = this.#intake
    try {
      const features = known ?? (await discover(session, archive)).features
      if (!features.has(ns.mam)) throw new StanzaFailure("feature-not-implemented", "cancel", "no urn:xmpp:mam:2")
      const receiver = this.#receiver
      const eventsOf = receiver.archived.bind(undefined, archive)
      const reader = new Reader({session, intake, log, archive, eventsOf})
      const {known: before, newer} = await reader.begin()
      for (const archived of before) receiver.remember(archive, archived)
      for (const archived of newer) receiver.rememberOurs(archive, archived)
      return reader
    } catch (error) {
      if (isPassing(error)) throw error
      const what = archive === session.own ? "the account" : archive
      log.warn(`the server keeps no archive of ${what}: messages sent while the bot is offline are lost`, {error})
      return undefined
    }
  }

  #moved({jid, name}: Room, nick: string, account: string | undefined, isIn: boolean): void {
    if (this.#account.joins === false) return
    const user = {id: `${jid}/${nick}`, name: nick, ...(account === undefined ? {} : {account})}
    const type = isIn ? "guild-member-added" : "guild-member-removed"
    void this.#intake.add({events: [{id: randomUUID(), type, timestamp: Date.now(), guild: {id: jid, name}, user}]})
  }
}
