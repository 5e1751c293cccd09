import type {GapReason} from "../../shared/api.ts"
import type {Log} from "../../shared/log.ts"
import {messageOf} from "../../shared/problems.ts"
import type {Database} from "../database/database.ts"
import type {Result, Statement} from "../database/engine.ts"
import {persist} from "../database/persist.ts"
import type {Endpoint} from "./endpoint.ts"

/** Every so many milliseconds it is stored who is online: a gap after a kill begins at most so much too early. */
const heartbeat = 10_000

/** Nothing where a gap is open already: it goes on. */
const openGap = `INSERT INTO endpoint_gaps (endpoint, from_at, reason) SELECT ?, ?, ?
  WHERE NOT EXISTS (SELECT 1 FROM endpoint_gaps WHERE endpoint = ? AND to_at IS NULL)`
/**
 * By the clock as it is at the end. Where it has been set back since the beginning, the gap begins when it would have begun
 * by that clock, and ends at what was the time before: too large rather than too small.
 */
const closeGap = `UPDATE endpoint_gaps SET from_at = CASE WHEN from_at > ?1 THEN ?2 ELSE from_at END, to_at = max(from_at, ?1)
  WHERE endpoint = ?3 AND to_at IS NULL RETURNING from_at, to_at, reason`
const appear = `INSERT INTO endpoint_online (endpoint, seen_at) VALUES (?, ?)
  ON CONFLICT (endpoint) DO UPDATE SET seen_at = excluded.seen_at`

/**
 * What an endpoint without history may have missed: each interval in which it was not online, or admitted nothing. A gap
 * is stored when it begins, and ended when the endpoint is back; who is online is stored too, so that a run that was
 * killed leaves a gap that begins when its endpoints were last known to be there.
 */
export class Gaps {
  readonly #database: Database
  readonly #log: Log
  readonly #online = new Set<string>()
  /** When an endpoint left in this run, by a clock that does not go back. */
  readonly #left = new Map<string, number>()
  #storing: Promise<unknown> = Promise.resolve()
  #timer: ReturnType<typeof setInterval> | undefined
  #isStopping = false

  constructor(database: Database, log: Log) {
    this.#database = database
    this.#log = log
  }

  /** What the run before left online has been away since it was last seen. Call it before an endpoint opens. */
  async start(): Promise<void> {
    const rows = await this.#database.read("SELECT endpoint, seen_at FROM endpoint_online")
    const away = rows.map(({endpoint, seen_at}) => leaving(String(endpoint), Number(seen_at), "host_ended"))
    await this.#database.write(away.flat())
    this.#timer = setInterval(() => this.#beat(), heartbeat)
    this.#timer.unref()
  }

  /** An endpoint's state or admission is another one since `at`, in milliseconds since 1970. */
  observe(endpoint: Endpoint, at = Date.now()): void {
    const {name, history} = endpoint.spec
    if (history === "replay" || this.#isStopping) return
    const isOnline = endpoint.isListening && endpoint.admission.is === "open"
    if (isOnline === this.#online.has(name)) return
    if (isOnline) this.#arrive(name, at)
    else this.#leave(name, at, reasonOf(endpoint))
  }

  /** From now on all endpoints are away; resolves when that is stored. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    this.#isStopping = true
    const at = Date.now()
    for (const name of this.#online) this.#leave(name, at, "host_stopped")
    await this.#storing
  }

  #arrive(name: string, at: number): void {
    this.#online.add(name)
    this.#store(
      [
        // The event log, once there is one, gets `endpoint.gap {from, to, reason}` in this batch.
        {sql: closeGap, args: [at, at - Math.round(performance.now() - (this.#left.get(name) ?? 0)), name]},
        {sql: appear, args: [name, at]},
      ],
      ([closed]) => {
        const gap = closed?.rows[0]
        if (gap === undefined) return
        const [from, to] = [Number(gap.from_at), Number(gap.to_at)].map(time => new Date(time).toISOString())
        this.#log.warn(`${name} may have missed what was said while it was away`, {from, to, reason: gap.reason})
      },
    )
  }

  #leave(name: string, at: number, reason: GapReason): void {
    this.#online.delete(name)
    this.#left.set(name, performance.now())
    this.#store(leaving(name, at, reason))
  }

  #beat(): void {
    if (this.#online.size > 0) this.#store([{sql: "UPDATE endpoint_online SET seen_at = ?", args: [Date.now()]}])
  }

  /** In the order of the calls; a failing database is waited for. */
  #store(batch: readonly Statement[], done: (results: readonly Result[]) => void = () => {}): void {
    this.#storing = this.#storing
      .then(() => persist("who is online", this.#log, () => this.#database.write(batch)))
      .then(done)
      .catch(error => this.#log.debug(`who is online was not stored: ${messageOf(error)}`))
  }
}

const leaving = (name: string, at: number, reason: GapReason): readonly Statement[] => [
  {sql: openGap, args: [name, at, reason, name]},
  {sql: "DELETE FROM endpoint_online WHERE endpoint = ?", args: [name]},
]

const reasonOf = ({ownAdmission, state, isListening}: Endpoint): GapReason => {
  if (state.is === "online" && !isListening) return "channel_left"
  if (state.is === "failed") return "endpoint_failed"
  if (state.is === "reconnecting" || state.is === "connecting") return "connection_lost"
  return ownAdmission.is === "open" ? "ingress_paused" : "endpoint_closed"
}
