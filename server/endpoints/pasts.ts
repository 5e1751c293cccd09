import {fromJson, toJson} from "../../shared/json.ts"
import type {Log} from "../../shared/log.ts"
import {messageOf} from "../../shared/problems.ts"
import type {Database, Row} from "../database/database.ts"
import {readMeta, setMeta} from "../database/state/meta.ts"
import type {Span} from "../runtime/flow/clock.ts"
import {Periodic} from "../runtime/flow/periodic.ts"

/** What is known of an endpoint, whichever connection or run saw it. Times are in milliseconds since 1970. */
export interface Past {
  /** When its last event was stored. */
  lastEventAt?: number | undefined
  /** When its platform last accepted a message. */
  lastSentAt?: number | undefined
  /** Since when it has had no connection, over all attempts; undefined while it is online. */
  awaySince?: number | undefined
  /** The last time without a connection that has ended. */
  away?: Span | undefined
  /** Since when it has refused events that its platform keeps; undefined once a later one was stored. */
  refusedSince?: number | undefined
  /** When an outage longer than `ingress.askAfter` last ended: what was written before it waits for an operator. */
  askBefore?: number | undefined
  /** The account with which it was last online, as in its specification; the beginning of it if an earlier run stored it. */
  account?: string | undefined
}

/** Returns since when a platform may have kept an event that the Host stores now; null if it cannot have. */
export const keptSince = ({awaySince, away, refusedSince}: Past): number | null => {
  const starts = [awaySince ?? away?.from, refusedSince].filter(start => start !== undefined)
  return starts.length === 0 ? null : Math.min(...starts)
}

/** A connection that lasted less than this separates no two times without one, in milliseconds. */
const shortest = 60_000

/** Returns the time without a connection that ends when an endpoint comes online. */
export const awayUntil = ({awaySince, away}: Past, to: number): Span | undefined => {
  if (awaySince === undefined) return away
  return {from: away !== undefined && awaySince - away.to < shortest ? Math.min(away.from, awaySince) : awaySince, to}
}

interface Stored {
  readonly at: number
  readonly pasts: Readonly<Record<string, Past>>
}

/** In `svc_meta`: the pasts of all endpoints, and when they were stored. */
const key = "endpoints.pasts"

/** How often changes are stored, in milliseconds. */
const beat = 10_000
/** How often the time is stored while an endpoint is online, in milliseconds. */
const heartbeat = 60_000

/**
 * The pasts of endpoints by name: they outlive a reload, a reconnection and a restart. A killed run loses at most ten
 * seconds of a loss of connection; its events and messages are read from their rows.
 */
export class Pasts {
  readonly #database: Database
  readonly #log: Log
  readonly #readLast: () => Promise<readonly Row[]>
  readonly #byName = new Map<string, Past>()
  readonly #beats: Periodic
  /** What was stored last; undefined before the start, which reads what there is. */
  #last: {readonly at: number; readonly text: string} | undefined

  /** `readLast` returns the time of the last `event` or `sent` message of an `endpoint`. */
  constructor(database: Database, log: Log, readLast: () => Promise<readonly Row[]>) {
    this.#database = database
    this.#readLast = readLast
    this.#log = log
    const tell = (error: unknown) => this.#log.debug(`could not store the pasts of endpoints: ${messageOf(error)}`)
    this.#beats = new Periodic(beat, () => this.#store(), tell)
  }

  of(name: string): Past {
    const past = this.#byName.get(name) ?? {}
    this.#byName.set(name, past)
    return past
  }

  /** Returns the last time without a connection, until now if there is none; undefined if there was always one. */
  lastAway(name: string): Span | undefined {
    return awayUntil(this.of(name), Date.now())
  }

  /** Reads what earlier runs left. Call it before an endpoint opens. */
  async start(): Promise<void> {
    const [stored, rows] = await Promise.all([readMeta(this.#database, key), this.#readLast()])
    const {at, pasts} = fromJson(stored ?? '{"at":0,"pasts":{}}') as Stored
    for (const [name, past] of Object.entries(pasts)) Object.assign(this.of(name), {awaySince: at}, past)
    for (const {endpoint, event, sent} of rows) {
      const past = this.of(String(endpoint))
      past.lastEventAt = later(past.lastEventAt, event)
      past.lastSentAt = later(past.lastSentAt, sent)
    }
    for (const past of this.#byName.values()) past.awaySince ??= Date.now()
    this.#last = {at: 0, text: ""}
    this.#beats.start()
  }

  /** Resolves when everything is stored. Call it while the endpoints are still online. */
  async stop(): Promise<void> {
    await this.#beats.stop()
    this.#last &&= {at: 0, text: ""}
    await this.#beats.run()
  }

  async #store(): Promise<void> {
    if (this.#last === undefined) return
    // Of an account only so much is stored that nobody can find a secret in it by trial.
    const pasts = [...this.#byName].map(([name, past]) => [name, {...past, account: past.account?.slice(0, 3)}])
    const [at, text] = [Date.now(), toJson(Object.fromEntries(pasts))]
    const isOnline = [...this.#byName.values()].some(({awaySince}) => awaySince === undefined)
    if (text === this.#last.text && (!isOnline || at - this.#last.at < heartbeat)) return
    await this.#database.write([setMeta(key, `{"at":${at},"pasts":${text}}`)])
    this.#last = {at, text}
  }
}

const later = (known: number | undefined, at: unknown): number | undefined =>
  at === null ? known : Math.max(known ?? 0, Number(at))
