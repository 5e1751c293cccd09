import type {Clock} from "../../../../server/runtime/flow/clock.ts"
import {channelType, definePlugin, type Endpoint, textOf} from "../../../../shared/sdk/sdk.ts"
import type {Book, Place, Said} from "./book.ts"

const hour = 3_600_000

/** A kind of platform, as an age limit sees it. */
export interface Kind extends Place {
  /** What it keeps for a bot that is away: everything behind a cursor, what it did not acknowledge, or nothing. */
  readonly keeps: "log" | "session" | "nothing"
  /** How far its clock is ahead, in milliseconds. */
  readonly ahead: number
  readonly idempotent: boolean
}

export const kinds: readonly Kind[] = [
  {endpoint: "queue", keeps: "log", ahead: 0, isUndated: false, idempotent: true, maxAge: 24 * hour},
  {endpoint: "ahead", keeps: "log", ahead: 5 * hour, isUndated: false, idempotent: false},
  {endpoint: "broker", keeps: "session", ahead: 0, isUndated: true, idempotent: false, maxAge: 24 * hour},
  {endpoint: "line", keeps: "nothing", ahead: 0, isUndated: true, idempotent: false},
]

/** One process of the bot. A dead one neither hears nor says anything, and nothing in it ends. */
export interface Life {
  readonly number: number
  isDead: boolean
  /** Do calls of the platform and handlers that begin now end before the process does? */
  isStuck: boolean
  /** Rejects once the life is over and its database was thrown away. */
  readonly over: Promise<never>
}

interface Link {
  readonly endpoint: Endpoint
  readonly life: Life
  /** How many of its people's messages it has delivered. */
  next: number
  /** How many of them it kept from before. */
  readonly kept: number
  isBusy: boolean
}

/** A platform with one account of the bot, whose people say what the test lets them say. */
export class Platform {
  readonly kind: Kind
  readonly #clock: Clock
  readonly #book: Book
  readonly #said: Said[] = []
  readonly #taken = new Set<Said>()
  readonly #ids = new Set<string>()
  #link: Link | undefined
  #up = Promise.withResolvers<void>()
  #lostAt = Number.NEGATIVE_INFINITY
  isUp = true

  constructor(kind: Kind, clock: Clock, book: Book) {
    this.kind = kind
    this.#clock = clock
    this.#book = book
    this.#up.resolve()
  }

  get isIdle(): boolean {
    return !this.isUp || (this.#link !== undefined && !this.#link.isBusy)
  }

  /** Returns whether it delivers an event again that a restored database does not have. */
  keeps(said: Said): boolean {
    return this.kind.keeps === "log" && this.#said.includes(said)
  }

  adapter(life: Life) {
    return definePlugin({
      setup: plugin =>
        plugin.adapter(this.kind.endpoint, {
          history: this.kind.keeps === "nothing" ? "none" : "replay",
          forgetsAcknowledged: this.kind.keeps === "session",
          idempotent: this.kind.idempotent,
          open: async (_, endpoint) => {
            await this.#up.promise
            endpoint.login({platform: this.kind.endpoint, user: {id: "bot", is_bot: true}, status: 1})
            const kept = this.#said.length
            const next = {log: Number(endpoint.cursor ?? 0), session: 0, nothing: kept}[this.kind.keeps]
            this.#link = {endpoint, life, next, kept, isBusy: false}
            endpoint.defer(() => {
              if (this.#link?.endpoint === endpoint) this.drop()
            })
            setImmediate(() => void this.#deliver())
            return {send: ({id, channel, content}) => this.#take(id, channel, textOf(content), life)}
          },
        }),
    })
  }

  say(said: Said): void {
    if (!this.kind.isUndated) said.since = this.#clock.now() + this.kind.ahead
    said.isDue = this.kind.keeps !== "nothing"
    const isLost = this.#link === undefined || this.#link.life.isDead
    if (isLost && this.kind.keeps === "nothing") return
    if (isLost && this.kind.isUndated) said.since = this.#lostAt
    this.#said.push(said)
    void this.#deliver()
  }

  /** The connection ends, and no other one comes until it is up again. What it keeps from now on has no time. */
  goDown(): void {
    this.isUp = false
    this.#up = Promise.withResolvers()
    this.#link?.endpoint.lost(new Error("the platform is away"))
    this.drop()
  }

  goUp(): void {
    this.isUp = true
    this.#up.resolve()
  }

  drop(): void {
    this.#link = undefined
    this.#lostAt = this.#clock.now()
  }

  async #deliver(): Promise<void> {
    const link = this.#link
    if (link === undefined || link.isBusy) return
    link.isBusy = true
    while (this.#link === link && link.next < this.#said.length && !link.life.isDead) {
      const said = this.#said[link.next++] as Said
      if (this.kind.keeps !== "log" && this.#taken.has(said)) continue
      await this.#give(said, link).catch(error => {
        if (!link.endpoint.signal.aborted) this.#book.faults.push(`${said.n} was refused: ${error}`)
        link.next = this.#said.length
      })
    }
    link.isBusy = false
  }

  async #give(said: Said, {endpoint, life, next, kept}: Link): Promise<void> {
    const {n, channel, handlers} = said
    const at = this.#clock.now()
    const earlier = said.handed
    said.handed = at
    const isKept = this.kind.keeps === "session" && next <= kept
    const event = {
      id: said.eventId,
      type: "message-created",
      timestamp: this.kind.isUndated ? at : said.since,
      ...(isKept ? {isKept} : {}),
      channel: {id: channel, type: channelType.text},
      user: {id: "ann"},
      message: {id: said.eventId, content: handlers[0] === "heard" ? `hello ${n}` : `/${handlers[0]} ${n}`},
    }
    const {duplicate} = await endpoint.receive(event, this.kind.keeps === "log" ? {cursor: String(next)} : {})
    if (life.isDead) return
    this.#taken.add(said)
    this.#book.stored(said, duplicate ? earlier : undefined, at)
  }

  async #take(id: string, channel: string, text: string, life: Life): Promise<{ids: readonly string[]}> {
    if (life.isDead) return life.over
    if (!(this.kind.idempotent && this.#ids.has(id))) this.#book.arrived(this.kind, channel, text, this.#clock.now())
    this.#ids.add(id)
    return life.isStuck ? life.over : {ids: [id]}
  }
}
