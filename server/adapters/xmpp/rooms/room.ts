import {setTimeout as sleep} from "node:timers/promises"
import type {Element} from "@xmpp/client"
import {type Backoff, type Endpoint, type Log, pauseAfter, withDeadline} from "../../../../shared/sdk/sdk.ts"
import type {Reader} from "../archive/reader.ts"
import {unlessAborted} from "../stream/abort.ts"
import type {RoomSettings} from "../stream/account.ts"
import {discover} from "../stream/discover.ts"
import {failureIn, StanzaFailure} from "../stream/failures.ts"
import {bare, resourceOf} from "../stream/jid.ts"
import {ns} from "../stream/names.ts"
import type {Session} from "../stream/session.ts"
import {accountIn, affiliationIn, itemIn, remedyOf, statusesIn} from "./presence.ts"

/** The pauses before the bot tries to reenter a room, and the timeout for a room's answer, in milliseconds. */
const again: Backoff = {first: 5000, longest: 300_000}
const patience = 20_000

interface Occupant {
  /** The account, if the room shows it. */
  readonly account: string | undefined
  readonly affiliation: string | undefined
}

export interface RoomHooks {
  /** Called when the bot is in and `features` are known. Live messages wait until it resolves. */
  entered(room: Room): Promise<void>
  heard(message: Element): void
  /** Called when another user enters or leaves later. */
  moved(room: Room, nick: string, account: string | undefined, isIn: boolean): void
  readonly unreadable: Endpoint["unreadable"]
}

/** Returns the nicks to try, in order, if the wanted one is in use. */
const variantsOf = (nick: string): readonly string[] => [nick, `${nick}_`, `${nick}__`, `${nick}_1`, `${nick}_2`]

/** One room (XEP-0045) in one connection. */
export class Room {
  readonly jid: string
  readonly occupants = new Map<string, Occupant>()
  /** The room's disco#info features, from the last time the bot entered. */
  features: ReadonlySet<string> = new Set()
  name: string
  /** The reader of the room's archive; undefined if it has none. */
  reader: Reader | undefined
  #nick: string
  #isIn = false
  #isEntering = false
  readonly #early: Element[] = []
  #answer: {readonly resolve: (self: Element) => void; readonly reject: (error: Error) => void} | undefined
  readonly #settings: RoomSettings
  readonly #wanted: string
  readonly #session: Session
  readonly #log: Log
  readonly #hooks: RoomHooks

  constructor(settings: RoomSettings, nick: string, session: Session, log: Log, hooks: RoomHooks) {
    this.jid = bare(settings.jid)
    this.name = this.jid
    this.#settings = settings
    this.#wanted = settings.nick ?? nick
    this.#nick = this.#wanted
    this.#session = session
    this.#log = log
    this.#hooks = hooks
  }

  get nick(): string {
    return this.#nick
  }

  get isIn(): boolean {
    return this.#isIn
  }

  /** Whether this nick may have been the bot's, in this connection or an earlier one. */
  mayBeOurs(nick: string): boolean {
    return nick === this.#nick || variantsOf(this.#wanted).includes(nick)
  }

  occupant(nick: string): string {
    return `${this.jid}/${nick}`
  }

  nickOfAccount(account: string): string | undefined {
    return [...this.occupants].find(([, occupant]) => occupant.account === account)?.[0]
  }

  /** Enters the room. If the room rejects the bot, logs the reason and retries in the background. Never rejects. */
  async enter(): Promise<void> {
    try {
      await this.#enterOnce()
    } catch (error) {
      this.#tellAndRetry(`${this.jid} does not let the bot enter`, error)
    }
  }

  /** Asks the room whether the bot is still in (XEP-0410). If not, reenters. */
  async confirm(): Promise<void> {
    if (!this.#isIn) return
    const ping = this.#session.xml("ping", {xmlns: ns.ping})
    await this.#session.iq("get", this.occupant(this.#nick), ping).catch(error => {
      if (error instanceof StanzaFailure && error.condition === "not-acceptable")
        this.#left(`${this.jid} no longer has the bot`)
    })
  }

  async #enterOnce(): Promise<void> {
    for (const nick of variantsOf(this.#wanted)) {
      try {
        await this.#enterAs(nick)
        return
      } catch (error) {
        if (!(error instanceof StanzaFailure) || error.condition !== "conflict") throw error
        this.#log.warn(`the nick ${nick} is in use in ${this.jid}`)
      }
    }
    throw new Error(`the nick ${this.#wanted} and its variants are in use`)
  }

  async #enterAs(nick: string): Promise<void> {
    const session = this.#session
    const {password} = this.#settings
    this.#nick = nick
    this.#early.length = 0
    this.occupants.clear()
    const answer = new Promise<Element>((resolve, reject) => {
      this.#answer = {resolve, reject}
    })
    try {
      await session.send(
        session.xml(
          "presence",
          {to: this.occupant(nick)},
          session.xml(
            "x",
            {xmlns: ns.muc},
            // Earlier messages are read from the archive, with its ids.
            session.xml("history", {maxstanzas: "0"}),
            password === undefined ? undefined : session.xml("password", {}, password.reveal()),
          ),
        ),
      )
      const answered = withDeadline(patience, signal => unlessAborted(answer, signal), session.ended)
      const self = await answered.catch(error => {
        if (session.ended.aborted || error instanceof StanzaFailure) throw error
        throw new Error("no answer in time")
      })
      // The room may have changed the nick.
      this.#nick = resourceOf(self.attrs.from ?? "") || nick
      if (statusesIn(self).has("201")) await this.#make()
    } finally {
      this.#answer = undefined
    }
    const {features, name} = await discover(session, this.jid)
    this.features = features
    this.name = name ?? this.jid
    await this.#hooks.entered(this)
    this.#isIn = true
    this.#hooks.unreadable(this.jid)
    for (const message of this.#early.splice(0)) this.#hooks.heard(message)
  }

  /** Configures a newly created room with the server's defaults. Until then nobody else can enter. */
  async #make(): Promise<void> {
    const form = this.#session.xml("x", {xmlns: ns.data, type: "submit"})
    await this.#session.iq("set", this.jid, this.#session.xml("query", {xmlns: ns.mucOwner}, form))
    this.#log.info(`the room ${this.jid} did not exist; created it`)
  }

  /** Handles a live message of the room. It is passed on once the room's archive is known. */
  message(message: Element): void {
    if (this.#isIn) this.#hooks.heard(message)
    else this.#early.push(message)
  }

  /** Handles a presence from the room or from a user in it. */
  presence(stanza: Element): void {
    const nick = resourceOf(stanza.attrs.from ?? "")
    const {type} = stanza.attrs
    const statuses = statusesIn(stanza)
    const isSelf = statuses.has("110") || nick === this.#nick
    if (type === "error") this.#answer?.reject(failureIn(stanza))
    else if (type === undefined && isSelf) this.#answer?.resolve(stanza)
    else if (type === undefined) this.#came(nick, {account: accountIn(stanza), affiliation: affiliationIn(stanza)})
    else if (type === "unavailable") this.#went(stanza, nick, statuses, isSelf)
  }

  #came(nick: string, occupant: Occupant): void {
    const isNew = !this.occupants.has(nick)
    this.occupants.set(nick, occupant)
    if (isNew && this.#isIn) this.#hooks.moved(this, nick, occupant.account, true)
  }

  #went(stanza: Element, nick: string, statuses: ReadonlySet<string>, isSelf: boolean): void {
    const next = statuses.has("303") ? itemIn(stanza)?.attrs.nick : undefined
    if (isSelf && next !== undefined) this.#nick = next
    else if (isSelf && this.#isIn) this.#putOut(stanza, statuses)
    else if (!isSelf) {
      const occupant = this.occupants.get(nick)
      this.occupants.delete(nick)
      if (next === undefined) {
        if (this.#isIn) this.#hooks.moved(this, nick, occupant?.account, false)
      } else this.occupants.set(next, occupant ?? {account: undefined, affiliation: undefined})
    }
  }

  #putOut(stanza: Element, statuses: ReadonlySet<string>): void {
    const item = itemIn(stanza)
    const reason = item?.getChild("reason")?.getText()
    const why = reason === undefined ? "" : `: ${reason}`
    if (stanza.getChild("x", ns.mucUser)?.getChild("destroy") !== undefined) {
      this.#leave()
      this.#tell("the room was destroyed; the bot will reenter it after a reconnect")
    } else if (statuses.has("301")) this.#left(`banned from ${this.jid}${why}`)
    else if (statuses.has("307")) this.#left(`kicked from ${this.jid}${why}`)
    else this.#left(`removed from ${this.jid}${why}`)
  }

  #left(why: string): void {
    this.#leave()
    this.#tellAndRetry(why)
  }

  #leave(): void {
    this.#isIn = false
    this.#early.length = 0
    this.occupants.clear()
  }

  #tellAndRetry(why: string, error?: unknown): void {
    if (this.#session.ended.aborted) return
    const detail = error instanceof Error ? `: ${remedyOf(error)}` : ""
    this.#tell(`${why}${detail}; reentering`)
    if (this.#isEntering) return
    this.#isEntering = true
    void this.#enterAgain()
  }

  #tell(why: string): void {
    this.#hooks.unreadable(this.jid, {why, remediation: "Let the bot in."})
  }

  async #enterAgain(): Promise<void> {
    const {ended} = this.#session
    for (let attempts = 1; !this.#isIn && !ended.aborted; attempts++) {
      await sleep(pauseAfter(attempts, again), undefined, {signal: ended}).catch(() => {})
      if (ended.aborted) break
      await this.#enterOnce().catch(error => {
        if (!ended.aborted) this.#tell(`${this.jid} does not let the bot enter: ${remedyOf(error)}`)
      })
    }
    this.#isEntering = false
  }
}
