import type {Content, Node} from "../../shared/elements.ts"
import {isElement} from "../../shared/elements.ts"
import type {Log} from "../../shared/log.ts"
import {isRefusal, type Row, refused, type Sender, type Statement} from "../../shared/plugin.ts"
import {messageOf, Problem} from "../../shared/problems.ts"
import type {Database} from "../database/database.ts"
import {persist} from "../database/persist.ts"
import {type Backoff, pauseAfter} from "../runtime/backoff.ts"
import {withTimeLimit} from "../runtime/time-limit.ts"
import {Lanes} from "./lanes.ts"

/** A message that is to be sent; its id is the same for every attempt. */
export type OutboxDraft = {
  readonly id: string
  readonly endpoint: string
  readonly channel: string
} & (
  | {readonly kind: "message"; readonly content: readonly Node[]}
  | {readonly kind: "reaction"; readonly content: ReactionContent}
)

export interface ReactionContent {
  readonly message: string
  readonly emoji: string
}

/** Which handler of which event a message came from. */
export interface Origin {
  readonly seq: number
  readonly handler: string
  readonly ordinal: number
  /** Stored before the handler's end; a repetition under the same ordinal is passed over. */
  readonly isEarly?: boolean
}

/** What the outbox asks of endpoints; passed in by the composition root. */
export interface Senders {
  sender(endpoint: string): Sender | undefined
  /** Does the platform drop a repeated send with the same id? */
  isIdempotent(endpoint: string): boolean
}

const retry: Backoff = {first: 1000, longest: 60_000}

/** After so many failed attempts a message is dead, in words: it is not tried again by itself. */
const mostAttempts = 8

/** An attempt that takes longer, in milliseconds, has failed. */
const sendTimeout = 30_000

const width = 64

export const nodesOf = (content: Content): readonly Node[] =>
  typeof content === "string" || isElement(content) ? [content] : content

/**
 * The durable outbox. A message is stored before it is sent, and its row is `sending` before the platform hears of it:
 * what a crash leaves `sending` is repeated where the platform drops repetitions, else it is `unknown`, by name.
 */
export class Outbox {
  readonly #database: Database
  readonly #log: Log
  readonly #requireOpen: () => void
  readonly #lanes: Lanes<Lane>
  readonly #closing = new AbortController()
  /** Lanes whose endpoint cannot send now, by endpoint. */
  readonly #parked = new Map<string, Map<string, Lane>>()
  /** Lanes whose next message is tried again later; they take no place meanwhile. */
  readonly #resting = new Map<string, ReturnType<typeof setTimeout>>()
  #senders: Senders | undefined

  /** `requireOpen` throws where nothing new may be sent. */
  constructor(database: Database, log: Log, requireOpen: () => void = () => {}) {
    this.#database = database
    this.#requireOpen = requireOpen
    this.#log = log
    this.#lanes = new Lanes(width, lane => this.#send(lane))
  }

  /** Begins with what earlier runs left unsent. Call it once the first generation is committed. */
  async start(senders: Senders): Promise<void> {
    this.#senders = senders
    await this.#settleInterrupted(senders)
    const lanes = await this.#database.read("SELECT DISTINCT endpoint, channel FROM outbox WHERE state = 'queued'")
    for (const row of lanes) this.#push({endpoint: String(row.endpoint), channel: String(row.channel)})
  }

  /** The statement that stores a draft, for the batch of the change that it belongs to. */
  insertion(draft: OutboxDraft, origin?: Origin): Statement {
    return {
      sql: `INSERT INTO outbox (id, kind, endpoint, channel, content, created_at, inbox_seq, handler, ordinal, early)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ${origin?.isEarly === true ? "ON CONFLICT DO NOTHING" : ""}`,
      args: [
        draft.id,
        draft.kind,
        draft.endpoint,
        draft.channel,
        JSON.stringify(draft.content),
        Date.now(),
        origin?.seq ?? null,
        origin?.handler ?? null,
        origin?.ordinal ?? null,
        origin?.isEarly === true ? 1 : 0,
      ],
    }
  }

  /** Tells that drafts are durable now. */
  stored(drafts: readonly OutboxDraft[]): void {
    for (const {endpoint, channel} of drafts) this.#push({endpoint, channel})
  }

  /** Stores a message that belongs to no event; resolves once it is durable. Throws `ingress_paused`. */
  async enqueue(draft: OutboxDraft): Promise<void> {
    this.#requireOpen()
    await this.#database.write([this.insertion(draft)])
    this.stored([draft])
  }

  /** An endpoint can send from now on. */
  online(endpoint: string): void {
    const parked = this.#parked.get(endpoint)
    this.#parked.delete(endpoint)
    for (const lane of parked?.values() ?? []) this.#push(lane)
  }

  /** Resolves when everything is sent that can be sent now. */
  async settled(): Promise<void> {
    await this.#lanes.settled()
  }

  /** Starts no further send; resolves when those that run have ended. */
  async drain(): Promise<void> {
    this.#closing.abort()
    for (const timer of this.#resting.values()) clearTimeout(timer)
    this.#lanes.pause()
    await this.#lanes.settled()
  }

  async #settleInterrupted(senders: Senders): Promise<void> {
    const rows = await this.#database.read("SELECT seq, endpoint FROM outbox WHERE state = 'sending'")
    for (const {seq, endpoint} of rows) {
      const again = senders.isIdempotent(String(endpoint))
      await this.#database.write([
        again
          ? {sql: "UPDATE outbox SET state = 'queued' WHERE seq = ?", args: [seq ?? 0]}
          : {
              sql: "UPDATE outbox SET state = 'unknown', ended_at = ?, error = ? WHERE seq = ?",
              args: [Date.now(), "the Host ended while this was being sent; it may have arrived", seq ?? 0],
            },
      ])
      if (!again) this.#log.warn("a message may have been sent before the Host ended", {outbox: Number(seq), endpoint})
    }
  }

  #push(lane: Lane): void {
    this.#lanes.push(keyOf(lane), lane)
  }

  /** Comes back after so many milliseconds, or sooner: the clock may have been set back since the time was written. */
  #rest(lane: Lane, pause: number): void {
    const key = keyOf(lane)
    clearTimeout(this.#resting.get(key))
    const wake = () => {
      this.#resting.delete(key)
      this.#push(lane)
    }
    this.#resting.set(key, setTimeout(wake, Math.min(pause, retry.longest)))
  }

  /** Sends what is queued for one channel, in order, until nothing is left or its endpoint cannot send. */
  async #send(lane: Lane): Promise<void> {
    try {
      while (!this.#closing.signal.aborted) {
        const row = await this.#next(lane)
        if (row === undefined) return
        const sender = this.#senders?.sender(lane.endpoint)
        if (sender === undefined) return this.#park(lane)
        const pause = Number(row.not_before) - Date.now()
        if (pause > 0) return this.#rest(lane, pause)
        await this.#attempt(row, sender)
      }
    } catch (error) {
      const isClosed = error instanceof Problem && error.code === "stopping"
      if (!isClosed) this.#log.error(`sending to ${lane.endpoint} stopped: ${messageOf(error)}`, {error})
    }
  }

  async #next({endpoint, channel}: Lane): Promise<Row | undefined> {
    const [row] = await persist(`sending to ${endpoint}`, this.#log, () =>
      this.#database.read(
        `SELECT seq, id, kind, channel, content, attempt, not_before FROM outbox
         WHERE state = 'queued' AND endpoint = ? AND channel = ? ORDER BY seq LIMIT 1`,
        [endpoint, channel],
      ),
    )
    return row
  }

  #park(lane: Lane): void {
    const parked = this.#parked.get(lane.endpoint) ?? new Map<string, Lane>()
    this.#parked.set(lane.endpoint, parked.set(lane.channel, lane))
  }

  async #attempt(row: Row, sender: Sender): Promise<void> {
    const seq = Number(row.seq)
    const attempt = Number(row.attempt) + 1
    await this.#persist(seq, {
      sql: "UPDATE outbox SET state = 'sending', attempt = ? WHERE seq = ?",
      args: [attempt, seq],
    })
    const end = await deliver(row, sender).then(
      ids => ({state: "sent", ids: JSON.stringify(ids), error: null, at: 0}),
      error => this.#afterFailure(error, attempt),
    )
    if (end.error !== null)
      this.#log.warn(`a message was not sent: ${end.error}`, {outbox: seq, attempt, state: end.state})
    await this.#persist(seq, {
      sql: "UPDATE outbox SET state = ?, platform_ids = ?, error = ?, not_before = ?, ended_at = ? WHERE seq = ?",
      args: [end.state, end.ids, end.error, end.at, end.state === "queued" ? null : Date.now(), seq],
    })
  }

  async #persist(seq: number, statement: Statement): Promise<void> {
    await persist(`message ${seq}`, this.#log, () => this.#database.write([statement]))
  }

  #afterFailure(error: unknown, attempt: number) {
    const state = isRefusal(error) ? "failed" : attempt >= mostAttempts ? "dead" : "queued"
    const at = state === "queued" ? Date.now() + Math.round(pauseAfter(attempt, retry)) : 0
    return {state, ids: null, error: messageOf(error), at}
  }
}

interface Lane {
  readonly endpoint: string
  readonly channel: string
}

const keyOf = ({endpoint, channel}: Lane): string => `${endpoint}/${channel}`

const deliver = async (row: Row, sender: Sender): Promise<readonly string[]> => {
  const message = {id: String(row.id), channel: String(row.channel)}
  const content: unknown = JSON.parse(String(row.content))
  if (row.kind === "message") {
    const send = (signal: AbortSignal) => sender.send({...message, content: content as readonly Node[]}, signal)
    return (await withTimeLimit(sendTimeout, send)).ids
  }
  if (sender.react === undefined) {
    throw refused("the platform has no reactions", {reason: "unsupported", remediation: "Send a message instead."})
  }
  const {react} = sender
  await withTimeLimit(sendTimeout, signal => react({...message, ...(content as ReactionContent)}, signal))
  return []
}
