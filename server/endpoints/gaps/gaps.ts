import {type GapReason, isPlanned} from "../../../shared/api/endpoints.ts"
import type {Log} from "../../../shared/log.ts"
import {messageOf} from "../../../shared/problems.ts"
import type {Database, Result, Row, Statement} from "../../database/database.ts"
import {persist} from "../../database/persist.ts"
import {repeat} from "../../runtime/flow/periodic.ts"
import type {Filled} from "../backfill.ts"
import type {Endpoint} from "../endpoint.ts"
import {HandedOver} from "./handed-over.ts"
import {completeOf, type Online} from "./online.ts"

/** How often to store up to when the online endpoints have missed nothing, in milliseconds. */
const heartbeat = 10_000

/** Inserts nothing if a gap is already open: that gap continues. */
const openGap = `INSERT INTO endpoint_gaps (endpoint, from_at, reason) SELECT ?, ?, ?
  WHERE NOT EXISTS (SELECT 1 FROM endpoint_gaps WHERE endpoint = ? AND to_at IS NULL)`
/**
 * The gap ends at ?1, ?2 milliseconds after it began by a monotonic clock. If the clock of the day was set back during
 * the gap, the gap covers both readings of the clock: it is too large rather than too small.
 */
const closeGap = `UPDATE endpoint_gaps SET
    from_at = CASE WHEN from_at + ?2 > ?1 + 1000 THEN ?1 - ?2 ELSE from_at END,
    to_at = CASE WHEN from_at + ?2 > ?1 + 1000 THEN from_at + ?2 ELSE ?1 END,
    backfill = coalesce(backfill, ?4)
  WHERE endpoint = ?3 AND to_at IS NULL RETURNING from_at, to_at, reason, backfill`
/** This stays: events that are let in from now on hide the missing ones before them. */
const spoilGap = "UPDATE endpoint_gaps SET backfill = 'partly' WHERE endpoint = ? AND to_at IS NULL"
/** Selects the time `at` at which an endpoint was last seen online. */
export const selectOnlineTime = "SELECT max(seen_at) AS at FROM endpoint_online"

const appear = `INSERT INTO endpoint_online (endpoint, seen_at) VALUES (?, ?)
  ON CONFLICT (endpoint) DO UPDATE SET seen_at = excluded.seen_at`

/**
 * The intervals in which an endpoint whose platform does not redeliver may have missed messages: it was not online,
 * admitted nothing, or its events could not be stored. A gap begins at the last moment at which nothing is known to be
 * missing. That is earlier than its cause, by the time that messages may have been in transit, and never later. The
 * Host stores a gap when it begins, and ends it when the endpoint is back. It also stores regularly up to when the
 * online endpoints have missed nothing: there the gap of a killed run begins. An endpoint whose platform redelivers,
 * but forgets acknowledged messages, has a gap only after a restore.
 */
export class Gaps {
  readonly #database: Database
  readonly #log: Log
  readonly #handedOver: HandedOver
  readonly #online = new Map<string, Online>()
  /** When the open gaps began, by a monotonic clock. For gaps of earlier runs, when this run began. */
  readonly #left = new Map<string, number>()
  readonly #began = performance.now()
  /** Endpoints whose events were not stored, until that gap is being stored. */
  readonly #unstored = new Set<string>()
  #storing: Promise<void> = Promise.resolve()
  #end = () => {}
  #isStopping = false

  constructor(database: Database, log: Log) {
    this.#database = database
    this.#log = log
    this.#handedOver = new HandedOver(database)
  }

  /**
   * Opens gaps for the endpoints that the previous run left online, from when they were last seen. After a restore,
   * also opens gaps for endpoints whose platforms may have delivered more than the database has. Call it before an
   * endpoint opens.
   */
  async start(endpoints: readonly Endpoint[]): Promise<void> {
    const rows = await this.#database.read("SELECT endpoint, seen_at FROM endpoint_online")
    const away = rows.map(({endpoint, seen_at}) => leaving(String(endpoint), Number(seen_at), "host_ended"))
    const {from, settled} = await this.#handedOver.start(endpoints)
    const owed = [...from].map(([name, at]) => open(name, at, "host_ended"))
    await this.#database.write([...away.flat(), ...owed, ...settled])
    const lasting = await this.#database.read("SELECT endpoint FROM endpoint_gaps WHERE to_at IS NULL")
    for (const {endpoint} of lasting) this.#left.set(String(endpoint), this.#began)
    this.#end = repeat(heartbeat, () => this.#beat())
  }

  /** An endpoint's state or admission has changed at `at`, in milliseconds since 1970. */
  observe(endpoint: Endpoint, at = Date.now()): void {
    if (this.#isStopping) return
    const {name, history, forgetsAcknowledged} = endpoint.spec
    const isOnline = endpoint.isListening && endpoint.admission.is === "open"
    if (history !== "none") {
      if (isOnline) this.#outgrow(endpoint, at)
      const handedOver = forgetsAcknowledged ? this.#handedOver.observe(endpoint, isOnline, at) : []
      if (handedOver.length > 0) this.#store(() => handedOver)
      return
    }
    const online = this.#online.get(name)
    if (isOnline) {
      if (online === undefined) this.#arrive(endpoint, at)
    } else if (online !== undefined) this.#leave(online, at, reasonOf(endpoint))
    else if (endpoint.state.is === "online") this.#lack(endpoint, at)
  }

  isOpen({spec: {name}}: Endpoint): boolean {
    return this.#left.has(name)
  }

  /** Records that the open gap ends as `partly`, whatever is still fetched. Resolves when that is stored. */
  spoil({spec: {name}}: Endpoint): Promise<void> {
    return this.#store(() => [{sql: spoilGap, args: [name]}])
  }

  /** An incoming event of this endpoint was lost, because the database did not store it. */
  unstored(endpoint: Endpoint): void {
    const {name} = endpoint.spec
    const online = this.#online.get(name)
    if (online === undefined || this.#unstored.has(name)) return
    if (this.isOpen(endpoint)) {
      void this.spoil(endpoint)
      return
    }
    this.#unstored.add(name)
    const from = completeOf(online)
    this.#storeEnd(name, () => {
      // Later failures are a new gap.
      this.#unstored.delete(name)
      return [open(name, from.at, "not_stored"), close(name, Date.now(), from.passed)(null)]
    })
  }

  /** All endpoints are offline from now on. Resolves when that is stored. `reason`: did an operator want it? */
  async stop(reason: "host_stopped" | "host_failed" = "host_stopped"): Promise<void> {
    this.#end()
    this.#isStopping = true
    const at = Date.now()
    this.#tellHandedOver()
    for (const online of this.#online.values()) this.#leave(online, at, reason)
    await this.#storing
  }

  #arrive(endpoint: Endpoint, at: number): void {
    const {name} = endpoint.spec
    const online = {endpoint, came: {at, passed: performance.now()}}
    const isFilled = endpoint.canFill && this.#left.has(name)
    const end = close(name, at, this.#left.get(name) ?? this.#began)
    const seen = {sql: appear, args: [name, at]}
    this.#online.set(name, online)
    if (!isFilled) this.#left.delete(name)
    // A trigger raises the event of the gap.
    void this.#storeEnd(name, () => (isFilled ? [seen] : [end(null), seen]))
    if (isFilled) void this.#fill(online, end)
  }

  /** Ends the gap at the time when the endpoint came online, once the outcome of the backfill is known. */
  async #fill(online: Online, end: ReturnType<typeof close>): Promise<void> {
    const {name, log} = online.endpoint.spec
    const filled = await this.#backfill(online.endpoint).catch(error => {
      log.error(`${name} could not fetch missed messages: ${messageOf(error)}`, {error})
      return "partly" as const
    })
    if (filled === undefined || this.#isStopping || this.#online.get(name) !== online) return
    this.#left.delete(name)
    await this.#storeEnd(name, () => [end(filled)])
  }

  async #backfill(endpoint: Endpoint): Promise<Filled | undefined> {
    await this.#storing
    const [gap] = await this.#database.read("SELECT from_at FROM endpoint_gaps WHERE endpoint = ? AND to_at IS NULL", [
      endpoint.spec.name,
    ])
    return endpoint.backfill(Number(gap?.from_at ?? 0))
  }

  /**
   * Ends a gap that a restore left, or that is from a time when the adapter had no history. A platform inside the Host
   * missed nothing meanwhile, so its gap is deleted.
   */
  #outgrow({spec: {name, history}}: Endpoint, at: number): void {
    const began = this.#left.get(name)
    if (began === undefined) return
    this.#left.delete(name)
    const ended =
      history === "inside"
        ? {sql: "DELETE FROM endpoint_gaps WHERE endpoint = ? AND to_at IS NULL", args: [name]}
        : close(name, at, began)(null)
    this.#storeEnd(name, () => [ended])
  }

  /** The endpoint is online, but misses something from the beginning. */
  #lack(endpoint: Endpoint, at: number): void {
    const {name} = endpoint.spec
    if (this.#left.has(name)) return
    this.#left.set(name, performance.now())
    const gap = open(name, at, reasonOf(endpoint))
    this.#store(() => [gap])
  }

  #leave(online: Online, at: number, reason: GapReason): void {
    const {name} = online.endpoint.spec
    const from = completeOf(online)
    this.#online.delete(name)
    // A gap that has not ended continues.
    if (!this.#left.has(name)) this.#left.set(name, from.passed)
    const batch = leaving(name, Math.min(from.at, at), reason)
    this.#store(() => batch)
  }

  #beat(): void {
    const seen = [...this.#online].map(([name, online]) => ({
      sql: "UPDATE endpoint_online SET seen_at = ? WHERE endpoint = ?",
      args: [Math.floor(completeOf(online).at), name],
    }))
    if (seen.length > 0) this.#store(() => seen)
    this.#tellHandedOver()
  }

  #tellHandedOver(): void {
    const handedOver = this.#handedOver.beat()
    if (handedOver.length > 0) this.#store(() => handedOver)
  }

  /** Stores statements of which one may end a gap, and logs the gap. */
  #storeEnd(name: string, batch: () => readonly Statement[]): Promise<void> {
    return this.#store(batch, results => {
      for (const gap of results.flatMap(({rows}) => rows)) this.#tell(name, gap)
    })
  }

  #tell(name: string, gap: Row): void {
    const [from, to] = [Number(gap.from_at), Number(gap.to_at)].map(time => new Date(time).toISOString())
    const facts = {from, to, reason: gap.reason}
    if (gap.backfill === "filled") this.#log.info(`${name} has fetched the missed messages`, facts)
    else this.#log[isPlanned(gap.reason as GapReason) ? "info" : "warn"](`${name} may have missed messages`, facts)
  }

  /** Stores batches in the order of the calls. Waits for a failing database. */
  #store(batch: () => readonly Statement[], done: (results: readonly Result[]) => void = () => {}): Promise<void> {
    this.#storing = this.#storing
      .then(() => persist("the list of online endpoints", this.#log, () => this.#database.write(batch())))
      .then(done)
      .catch(error => this.#log.debug(`could not store the list of online endpoints: ${messageOf(error)}`))
    return this.#storing
  }
}

const open = (name: string, from: number, reason: GapReason): Statement => ({
  sql: openGap,
  args: [name, Math.floor(from), reason, name],
})

/** Closes a gap now, whenever that is stored. `began` is its start by a monotonic clock. */
const close = (name: string, at: number, began: number) => {
  const length = Math.round(performance.now() - began)
  return (filled: Filled | null): Statement => ({sql: closeGap, args: [at, length, name, filled]})
}

const leaving = (name: string, from: number, reason: GapReason): readonly Statement[] => [
  open(name, from, reason),
  {sql: "DELETE FROM endpoint_online WHERE endpoint = ?", args: [name]},
]

const reasonOf = ({ownAdmission, state, isListening}: Endpoint): GapReason => {
  if (state.is === "online" && !isListening) return "channel_left"
  if (state.is === "failed") return "endpoint_failed"
  if (state.is === "reconnecting" || state.is === "connecting") return "connection_lost"
  return ownAdmission.is === "open" ? "ingress_paused" : "endpoint_closed"
}
