import {type GapReason, isPlanned} from "../../../shared/api/endpoints.ts"
import type {Log} from "../../../shared/log.ts"
import {messageOf} from "../../../shared/problems.ts"
import type {Database} from "../../database/database.ts"
import type {Result, Statement} from "../../database/engine.ts"
import {persist} from "../../database/persist.ts"
import type {Filled} from "../backfill.ts"
import type {Endpoint} from "../endpoint.ts"
import {HandedOver} from "./handed-over.ts"
import {completeOf, type Online} from "./online.ts"

/** Every so many milliseconds it is stored up to when those that are online have missed nothing. */
const heartbeat = 10_000

/** Nothing where a gap is open already: it goes on. */
const openGap = `INSERT INTO endpoint_gaps (endpoint, from_at, reason) SELECT ?, ?, ?
  WHERE NOT EXISTS (SELECT 1 FROM endpoint_gaps WHERE endpoint = ? AND to_at IS NULL)`
/**
 * Ended at ?1, ?2 milliseconds after it began by a clock that does not go back. Where the clock of the day has been set
 * back in between, the gap is what either reading of it says: too large rather than too small.
 */
const closeGap = `UPDATE endpoint_gaps SET
    from_at = CASE WHEN from_at + ?2 > ?1 + 1000 THEN ?1 - ?2 ELSE from_at END,
    to_at = CASE WHEN from_at + ?2 > ?1 + 1000 THEN from_at + ?2 ELSE ?1 END,
    backfill = coalesce(backfill, ?4)
  WHERE endpoint = ?3 AND to_at IS NULL RETURNING from_at, to_at, reason, backfill`
/** It stays so: what is let in from now on hides what is missing before it. */
const spoilGap = "UPDATE endpoint_gaps SET backfill = 'partly' WHERE endpoint = ? AND to_at IS NULL"
const appear = `INSERT INTO endpoint_online (endpoint, seen_at) VALUES (?, ?)
  ON CONFLICT (endpoint) DO UPDATE SET seen_at = excluded.seen_at`

/**
 * What an endpoint whose platform does not deliver again may have missed: each interval in which it was not online, or admitted nothing, or
 * could not be stored. A gap begins when nothing is known to be missing, which is earlier than its cause by what may be
 * on its way then, and never later. It is stored when it begins, and ended when the endpoint is back; up to when those
 * that are online have missed nothing is stored too, where the gap of a run that is killed begins. An endpoint whose
 * platform delivers again, and forgets what was acknowledged, has a gap after a restore only.
 */
export class Gaps {
  readonly #database: Database
  readonly #log: Log
  readonly #handedOver: HandedOver
  readonly #online = new Map<string, Online>()
  /** When the gaps began that are open, by a clock that does not go back; of earlier runs, when this one did. */
  readonly #left = new Map<string, number>()
  readonly #began = performance.now()
  /** Whose events were not stored, until that gap is being stored. */
  readonly #unstored = new Set<string>()
  #storing: Promise<void> = Promise.resolve()
  #timer: ReturnType<typeof setInterval> | undefined
  #isStopping = false

  constructor(database: Database, log: Log) {
    this.#database = database
    this.#log = log
    this.#handedOver = new HandedOver(database)
  }

  /**
   * What the run before left online has been away since it was last seen, and after a restore the platforms of these
   * endpoints may have handed over more than is there. Call it before an endpoint opens.
   */
  async start(endpoints: readonly Endpoint[]): Promise<void> {
    const rows = await this.#database.read("SELECT endpoint, seen_at FROM endpoint_online")
    const away = rows.map(({endpoint, seen_at}) => leaving(String(endpoint), Number(seen_at), "host_ended"))
    const {from, settled} = await this.#handedOver.start(endpoints)
    const owed = [...from].map(([name, at]) => open(name, at, "host_ended"))
    await this.#database.write([...away.flat(), ...owed, ...settled])
    const lasting = await this.#database.read("SELECT endpoint FROM endpoint_gaps WHERE to_at IS NULL")
    for (const {endpoint} of lasting) this.#left.set(String(endpoint), this.#began)
    this.#timer = setInterval(() => this.#beat(), heartbeat)
    this.#timer.unref()
  }

  /** An endpoint's state or admission is another one since `at`, in milliseconds since 1970. */
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

  /** Is a gap of this endpoint open? */
  isOpen({spec: {name}}: Endpoint): boolean {
    return this.#left.has(name)
  }

  /** The open gap of this endpoint ends as `partly`, whatever is still fetched; resolves when that is stored. */
  spoil({spec: {name}}: Endpoint): Promise<void> {
    return this.#store(() => [{sql: spoilGap, args: [name]}])
  }

  /** Something that came in by this endpoint is lost: the database did not take it. */
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
    this.#store(
      () => {
        // What fails from now on is another gap.
        this.#unstored.delete(name)
        return [open(name, from.at, "not_stored"), close(name, Date.now(), from.passed)(null)]
      },
      ([, closed]) => this.#tell(name, closed),
    )
  }

  /** From now on all endpoints are away; resolves when that is stored. `reason` says whether an operator wanted that. */
  async stop(reason: "host_stopped" | "host_failed" = "host_stopped"): Promise<void> {
    clearInterval(this.#timer)
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
    // The event of the gap is raised by a trigger.
    void this.#store(
      () => (isFilled ? [seen] : [end(null), seen]),
      ([closed]) => this.#tell(name, closed),
    )
    if (isFilled) void this.#fill(online, end)
  }

  /** The gap ends where the endpoint came, once it is known how much of it was fetched. */
  async #fill(online: Online, end: ReturnType<typeof close>): Promise<void> {
    const {name, log} = online.endpoint.spec
    const filled = await this.#backfill(online.endpoint).catch(error => {
      log.error(`${name} could not fetch what it missed: ${messageOf(error)}`, {error})
      return "partly" as const
    })
    if (filled === undefined || this.#isStopping || this.#online.get(name) !== online) return
    this.#left.delete(name)
    await this.#store(
      () => [end(filled)],
      ([closed]) => this.#tell(name, closed),
    )
  }

  async #backfill(endpoint: Endpoint): Promise<Filled | undefined> {
    await this.#storing
    const [gap] = await this.#database.read("SELECT from_at FROM endpoint_gaps WHERE endpoint = ? AND to_at IS NULL", [
      endpoint.spec.name,
    ])
    return endpoint.backfill(Number(gap?.from_at ?? 0))
  }

  /**
   * A restore left the gap, or its adapter was without history before: a platform inside the Host has said nothing meanwhile,
   * another one has.
   */
  #outgrow({spec: {name, history}}: Endpoint, at: number): void {
    const began = this.#left.get(name)
    if (began === undefined) return
    this.#left.delete(name)
    const ended = history === "inside" ? drop(name) : close(name, at, began)(null)
    this.#store(
      () => [ended],
      ([closed]) => this.#tell(name, closed),
    )
  }

  /** It has come, and misses something from the beginning. */
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
    // One that was not ended goes on.
    if (!this.#left.has(name)) this.#left.set(name, from.passed)
    const batch = leaving(name, Math.min(from.at, at), reason)
    this.#store(() => batch)
  }

  #beat(): void {
    const seen = [...this.#online].map(([name, online]) => see(name, completeOf(online).at))
    if (seen.length > 0) this.#store(() => seen)
    this.#tellHandedOver()
  }

  #tellHandedOver(): void {
    const handedOver = this.#handedOver.beat()
    if (handedOver.length > 0) this.#store(() => handedOver)
  }

  #tell(name: string, closed: Result | undefined): void {
    const gap = closed?.rows[0]
    if (gap === undefined) return
    const [from, to] = [Number(gap.from_at), Number(gap.to_at)].map(time => new Date(time).toISOString())
    const facts = {from, to, reason: gap.reason}
    if (gap.backfill === "filled") this.#log.info(`${name} has fetched what it missed`, facts)
    else this.#log[isPlanned(gap.reason as GapReason) ? "info" : "warn"](`${name} may have missed what was said`, facts)
  }

  /** In the order of the calls; a failing database is waited for. */
  #store(batch: () => readonly Statement[], done: (results: readonly Result[]) => void = () => {}): Promise<void> {
    this.#storing = this.#storing
      .then(() => persist("who is online", this.#log, () => this.#database.write(batch())))
      .then(done)
      .catch(error => this.#log.debug(`who is online was not stored: ${messageOf(error)}`))
    return this.#storing
  }
}

const open = (name: string, from: number, reason: GapReason): Statement => ({
  sql: openGap,
  args: [name, Math.floor(from), reason, name],
})

/** `began`: when it did, by a clock that does not go back. It ends now, whenever that is stored. */
const close = (name: string, at: number, began: number) => {
  const length = Math.round(performance.now() - began)
  return (filled: Filled | null): Statement => ({sql: closeGap, args: [at, length, name, filled]})
}

const drop = (name: string): Statement => ({
  sql: "DELETE FROM endpoint_gaps WHERE endpoint = ? AND to_at IS NULL",
  args: [name],
})

const see = (name: string, at: number): Statement => ({
  sql: "UPDATE endpoint_online SET seen_at = ? WHERE endpoint = ?",
  args: [Math.floor(at), name],
})

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
