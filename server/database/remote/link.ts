import {setTimeout as sleep} from "node:timers/promises"
import {type Client, createClient} from "@libsql/client/http"
import {messageOf, Problem} from "../../../shared/problems.ts"
import {type Backoff, pauseAfter} from "../../../shared/sdk/adapter/backoff.ts"
import type {Secret} from "../../../shared/secret.ts"
import {TimeLimitExceeded} from "../../runtime/flow/time-limit.ts"
import {Connections} from "../../runtime/outgoing/connections.ts"
import type {EngineWatcher} from "../engine/engine.ts"
import {isClosed, isUnreachable} from "../engine/errors.ts"
import {isPage} from "./reach.ts"

export interface RemoteAddress {
  readonly url: string
  readonly authToken?: Secret
  /** How long to wait for an answer, in milliseconds; `usualTimeout` when left out. */
  readonly timeout?: number
}

/** How long to wait for an answer, in milliseconds. The limits of the runtimes are minutes. */
export const usualTimeout = 10_000

/** The same for a migration, and for each request of a copy: they read or change much data at once. */
export const patientTimeout = 600_000

/** How often a read is repeated whose connections are closed, and the pauses from the second repeat on. */
const mostClosed = 7
const again: Backoff = {first: 50, longest: 1000}

/** The status of an error that counts as no answer of the database. */
const badGateway = 502

interface ClientOptions {
  /** The time limit of each request, in milliseconds. */
  readonly limit: number
  readonly intMode?: "bigint"
}

/**
 * The connection to a remote database, with a time limit for every request. After an unanswered request, later ones get
 * new connections, and the watcher hears of it.
 */
export class Link {
  readonly #address: RemoteAddress
  readonly #connections = new Connections()
  #watcher: EngineWatcher | undefined
  #isMissing = false
  #endAt = Number.POSITIVE_INFINITY

  constructor(address: RemoteAddress) {
    this.#address = address
  }

  /** Returns a client that shares the connections of this link. */
  client({limit, ...more}: ClientOptions): Client {
    const {url, authToken} = this.#address
    return createClient({
      url: url.replace(/^ws/, "http"),
      ...(authToken === undefined ? {} : {authToken: authToken.reveal()}),
      ...more,
      fetch: (request: Request) => this.#fetch(request, limit),
    })
  }

  watch(watcher: EngineWatcher): void {
    this.#watcher = watcher
  }

  /** Stops waiting for requests at this moment of the monotonic clock. From then on they reject with `stopping`. */
  endBy(at: number): void {
    this.#endAt = Math.min(this.#endAt, at)
  }

  /** Repeats an unanswered request on a new connection. For requests that may be repeated. */
  twice<T>(ask: () => Promise<T>): Promise<T> {
    return this.#repeat(ask, () => 1)
  }

  /** The same, and while the server closes connections, with pauses for two seconds. */
  untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
    return this.#repeat(ask, cause => (isClosed(cause) ? mostClosed : 1))
  }

  async #repeat<T>(ask: () => Promise<T>, mostRepeats: (cause: unknown) => number): Promise<T> {
    for (let failures = 1; ; failures++) {
      try {
        return await this.ask(ask)
      } catch (cause) {
        if (!isUnreachable(cause) || failures > mostRepeats(cause)) throw cause
        if (failures > 1) await sleep(pauseAfter(failures - 1, again))
      }
    }
  }

  /** Passes the result on, and notes whether there was an answer. A repeat that fails is an alarm, however it fails. */
  async ask<T>(ask: () => Promise<T>, isRepeat = false): Promise<T> {
    try {
      const answer = await ask()
      this.#answered()
      return answer
    } catch (cause) {
      if (isUnreachable(cause)) this.#missed(cause, isRepeat)
      throw cause
    }
  }

  /** Returns the problem of a request without an answer. */
  unanswered(cause: unknown): Problem {
    const who = `the remote database at ${new URL(this.#address.url).host}`
    return new Problem("database_unanswered", `${who} did not answer: ${messageOf(cause)}`, {cause})
  }

  close(): void {
    this.#connections.close()
  }

  async #fetch(request: Request, limit: number): Promise<Response> {
    const left = this.#endAt - performance.now()
    if (left <= 0) throw noLonger()
    const answer = await this.#connections.fetch(request, Math.min(limit, left))
    if (!isPage(answer.headers)) return answer
    throw Object.assign(new Error(`a page with the status ${answer.status}`), {status: badGateway})
  }

  #missed(cause: unknown, isRepeat: boolean): void {
    this.#connections.renew()
    // A kept connection that the server has closed is no reason for an alarm: the request is repeated at once.
    if (!isRepeat && !(cause instanceof TimeLimitExceeded)) return
    this.#isMissing = true
    this.#watcher?.missed(this.unanswered(cause))
  }

  #answered(): void {
    if (!this.#isMissing) return
    this.#isMissing = false
    this.#watcher?.answered()
  }
}

export const noLonger = (): Problem =>
  new Problem("stopping", "the Host is stopping and no longer waits for the remote database")
