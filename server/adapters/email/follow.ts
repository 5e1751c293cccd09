import {setTimeout as sleep} from "node:timers/promises"
import type {ImapFlow} from "imapflow"
import {type DatedIncoming, type Endpoint, isProblem, Problem} from "../../../shared/sdk/sdk.ts"
import {judge, messageEvent, toldEvent} from "./content/event.ts"
import {type Letter, type ReadTools, readLetters, readTexts} from "./content/letters.ts"
import type {AccountSettings} from "./mailbox/account.ts"
import {type Cursor, formatCursor, isFromBefore} from "./mailbox/cursor.ts"
import {saidBy} from "./mailbox/mailbox.ts"
import type {Threads} from "./send/threads.ts"

/** The most mails that are read and stored in one batch. */
const batch = 10

/** The pause before the next attempt while ingress is paused, in milliseconds. */
const pausedFor = 2000

export interface FollowTools extends Omit<ReadTools, "trusted"> {
  readonly account: AccountSettings
  readonly endpoint: Endpoint<DatedIncoming>
  readonly threads: Threads
}

/** Reads a folder from its cursor on, until the connection ends. */
export class Follower {
  readonly #tools: FollowTools
  #cursor: Cursor
  #isCursorStored = false
  #hasNews = false
  #wake: () => void = () => {}

  constructor(tools: FollowTools, cursor: Cursor) {
    this.#tools = tools
    this.#cursor = cursor
    tools.client.on("exists", () => {
      this.#hasNews = true
      this.#wake()
    })
  }

  /** Rejects if the connection or the Host's storage fails. Resolves once the endpoint has closed. */
  async run(): Promise<void> {
    const {signal} = this.#tools.endpoint
    await this.#mark(this.#cursor.stored)
    while (!signal.aborted) {
      this.#hasNews = false
      await this.#readNew()
      await this.#untilNews(signal)
    }
  }

  async #readNew(): Promise<void> {
    const {client, endpoint} = this.#tools
    if (!this.#isCursorStored) await this.#store([], this.#cursor)
    for (;;) {
      // A server announces new mail at the end of a command. Without one, a search may not find the mail yet.
      await client.noop()
      const found = await client.search({uid: `${this.#cursor.uid + 1}:*`}, {uid: true})
      // A range up to `*` always contains the newest mail.
      const uids = (Array.isArray(found) ? found : []).filter(uid => uid > this.#cursor.uid).sort((a, b) => a - b)
      if (uids.length === 0 || endpoint.signal.aborted) return
      for (let at = 0; at < uids.length; at += batch) await this.#take(uids.slice(at, at + batch))
    }
  }

  async #take(uids: readonly number[]): Promise<void> {
    const {account} = this.#tools
    const letters = await readLetters({...this.#tools, trusted: account.trusted}, uids)
    const events: DatedIncoming[] = []
    const stored: number[] = []
    let {at} = this.#cursor
    for (const letter of letters) {
      at = Math.max(at, letter.arrived)
      const event = await this.#eventOf(letter)
      if (event === undefined) continue
      events.push(event)
      if (event.type !== "internal") stored.push(letter.uid)
    }
    await this.#store(events, {...this.#cursor, uid: uids.at(-1) ?? this.#cursor.uid, at, stored})
    await this.#mark(stored)
  }

  async #eventOf(letter: Letter): Promise<DatedIncoming | undefined> {
    const {account, endpoint, threads} = this.#tools
    if (isFromBefore(this.#cursor, letter.uid, letter.arrived)) return undefined
    const judgement = judge(letter, account)
    if (judgement.is === "left") {
      endpoint.log.debug(`skipped mail ${letter.uid}: ${judgement.why}`)
      return undefined
    }
    const said = await readTexts({...this.#tools, trusted: account.trusted}, letter)
    if (letter.outline.more > 0)
      endpoint.log.warn(`mail ${letter.uid} has too many files; dropped ${letter.outline.more}`)
    if (judgement.is === "told") return toldEvent(letter, said, judgement.why)
    threads.remember(judgement.place, letter.headers)
    return messageEvent(letter, said, judgement.place, {account, validity: this.#cursor.validity})
  }

  /** Resolves once all events are durable. An event that the Host rejects is logged, and the others are stored. */
  async #store(events: readonly DatedIncoming[], cursor: Cursor): Promise<void> {
    const {endpoint} = this.#tools
    let left = events
    for (;;) {
      try {
        await endpoint.receive(left, {cursor: formatCursor(cursor)})
        this.#cursor = cursor
        this.#isCursorStored = true
        return
      } catch (error) {
        if (!(error instanceof Problem)) throw error
        if (error.code === "ingress_paused") await sleep(pausedFor, undefined, {signal: endpoint.signal})
        else if (error.code === "event_invalid") left = await this.#storeValid(left)
        else throw error
      }
    }
  }

  /** Stores the valid events one by one. Returns no events for the batch with the cursor. */
  async #storeValid(events: readonly DatedIncoming[]): Promise<readonly DatedIncoming[]> {
    const {endpoint} = this.#tools
    for (const event of events) {
      await endpoint.receive(event).catch(error => {
        if (!isProblem(error, "event_invalid")) throw error
        endpoint.log.error(`dropped a mail: ${error.message}`)
      })
    }
    return []
  }

  /** Marks or moves mail. If the server refuses, the mail stays unchanged. */
  async #mark(uids: readonly number[]): Promise<void> {
    const {client, account, endpoint} = this.#tools
    if (uids.length === 0) return
    const range = uids.join(",")
    try {
      if (account.moveTo !== undefined) await client.messageMove(range, account.moveTo, {uid: true})
      else if (account.handled !== "leave") await client.messageFlagsAdd(range, ["\\Seen"], {uid: true})
    } catch (error) {
      if (!client.usable) throw error
      endpoint.log.warn(`could not mark mail ${range}: ${saidBy(error)}`)
    }
  }

  /** Waits until the server announces new mail, or until the next poll. */
  async #untilNews(signal: AbortSignal): Promise<void> {
    const {client, account} = this.#tools
    if (this.#hasNews || signal.aborted) return
    const patience = new AbortController()
    this.#wake = () => patience.abort()
    if (client.capabilities.has("IDLE")) void idle(client)
    await sleep((account.poll ?? 60) * 1000, undefined, {signal: AbortSignal.any([patience.signal, signal])}).catch(
      () => {},
    )
    this.#wake = () => {}
  }
}

/** Ends with the next command. The end of the connection is handled elsewhere. */
const idle = (client: ImapFlow): Promise<unknown> => client.idle().catch(() => {})
