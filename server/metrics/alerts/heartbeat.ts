import type {HeartbeatSettings} from "../../../shared/config/alerts.ts"
import {durationOf} from "../../../shared/duration.ts"
import {withDeadline} from "../../../shared/sdk/adapter/deadline.ts"
import {withTimeLimit} from "../../runtime/flow/time-limit.ts"
import {reachFailure, statusFailure} from "./webhook.ts"

/** How long the address may take to answer, and the database to store a row, in milliseconds. */
const limit = 10_000

export type Ask = (url: string, signal: AbortSignal) => Promise<{readonly ok: boolean; readonly status: number}>

export interface HeartbeatOptions {
  readonly isReady: () => boolean
  /** Resolves once a row is durable. */
  readonly store: (at: number) => Promise<unknown>
  readonly ask: Ask
  readonly now: () => number
}

/** Calls an address while all is well. The receiver notices when the call stays out. */
export class Heartbeat {
  readonly #options: HeartbeatOptions
  #nextAt = 0
  #beating: Promise<void> | undefined
  lastSentAt: number | undefined
  stopped: "not_ready" | "rows" | null = null
  failure: {readonly at: number; readonly error: string} | undefined

  constructor(options: HeartbeatOptions) {
    this.#options = options
  }

  /** Calls the address if it is time. Returns at once, without waiting for the address. */
  consider({url, every}: HeartbeatSettings): void {
    const now = this.#options.now()
    if (now < this.#nextAt || this.#beating !== undefined) return
    this.#nextAt = now + durationOf(every)
    this.#beating = this.#beat(url).finally(() => {
      this.#beating = undefined
    })
  }

  async idle(): Promise<void> {
    await this.#beating
  }

  async #beat(url: string): Promise<void> {
    const {isReady, store, ask, now} = this.#options
    if (!isReady()) {
      this.stopped = "not_ready"
      return
    }
    try {
      await withTimeLimit(limit, () => store(now()))
    } catch {
      this.stopped = "rows"
      return
    }
    this.stopped = null
    await withDeadline(limit, async signal => {
      try {
        const {ok, status} = await ask(url, signal)
        if (!ok) throw new Error(statusFailure(status))
        this.lastSentAt = now()
        this.failure = undefined
      } catch (error) {
        const known = error instanceof Error && error.message.startsWith("the receiver") ? error.message : undefined
        this.failure = {at: now(), error: known ?? reachFailure(error, signal)}
      }
    })
  }
}
