import type {IngressView} from "../../shared/api/readiness.ts"
import type {Raise} from "../../shared/events/events.ts"
import type {Log} from "../../shared/log.ts"
import {Problem} from "../../shared/problems.ts"
import type {Database, Reader, Statement} from "../database/database.ts"
import {addMeta, deleteMeta, readMeta, readMetaKeys} from "../database/state/meta.ts"
import {telling} from "../events/telling.ts"
import type {Span} from "../runtime/flow/clock.ts"

export type IngressReason = IngressView["reasons"][number]

/** Reasons that an operator or a release gave: they stay across restarts until they are removed. */
export type KeptReason = Exclude<IngressReason, "disk" | "database">

export const keptReasons: readonly KeptReason[] = ["operator", "release"]

/** Resolves to the kept reasons in a database. */
export const pausesIn = async (database: Reader): Promise<readonly KeptReason[]> => {
  const keys = await readMetaKeys(database, "ingress.")
  return keptReasons.filter(reason => keys.has(metaKeyOf(reason)))
}

/** How long the Host keeps the pauses of releases, in milliseconds: an older event is too old anyway. */
const keptPauses = 35 * 86_400_000

/** How long a caller should wait while ingress is paused, in seconds. */
const retryAfter = 30

const metaKeyOf = (reason: KeptReason) => `ingress.${reason}`

const storing = ({from, to}: Span): readonly Statement[] => [
  {sql: "DELETE FROM ingress_pauses WHERE to_at < ?", args: [to - keptPauses]},
  {sql: "INSERT OR REPLACE INTO ingress_pauses (from_at, to_at) VALUES (?, ?)", args: [from, to]},
]

/**
 * The Host-wide switch in front of all side effects. While it is paused, no endpoint admits events and the Host accepts
 * no new sends. Accepted events are still handled, and the outbox drains.
 */
export class Ingress {
  readonly #database: Database
  readonly #log: Log
  readonly #hearers: ((at: number) => void)[] = []
  readonly #raise: Raise
  readonly #reasons = new Map<IngressReason, number>()
  #since = Date.now()
  #releases: readonly Span[] = []
  /** Created once for each change, since the status shows it at every request. */
  #view: IngressView | undefined
  /** Changes of kept reasons run one after the other, so that each event contains the reasons in force. */
  #last: Promise<void> = Promise.resolve()

  constructor(database: Database, log: Log, raise: Raise = () => {}) {
    this.#database = database
    this.#log = log
    this.#raise = raise
  }

  /** Calls `hear` at every change, with the time since when it holds, in milliseconds since 1970. */
  onChange(hear: (at: number) => void): void {
    this.#hearers.push(hear)
  }

  get isPaused(): boolean {
    return this.#reasons.size > 0
  }

  /** The pauses for releases, the present one without an end: the age of events does not include them. */
  get releases(): readonly Span[] {
    const from = this.#reasons.get("release")
    return from === undefined ? this.#releases : [...this.#releases, {from, to: Number.POSITIVE_INFINITY}]
  }

  get view(): IngressView {
    this.#view ??= {
      state: this.isPaused ? "paused" : "open",
      reasons: [...this.#reasons.keys()],
      since: new Date(this.#since).toISOString(),
    }
    return this.#view
  }

  /** Restores the kept reasons of earlier runs. Call it before an endpoint opens. */
  async start(): Promise<void> {
    const rows = await this.#database.read("SELECT from_at, to_at FROM ingress_pauses ORDER BY from_at")
    this.#releases = rows.map(({from_at, to_at}) => ({from: Number(from_at), to: Number(to_at)}))
    for (const reason of keptReasons) {
      const since = await readMeta(this.#database, metaKeyOf(reason))
      if (since !== undefined) this.#add(reason, Number(since))
    }
  }

  /** Adds a reason; durable when it resolves. Does nothing if the reason already holds. */
  pause(reason: KeptReason): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#reasons.has(reason)) return
      const now = Date.now()
      await this.#database.write([
        addMeta(metaKeyOf(reason), String(now)),
        telling("ingress.paused", {reason, reasons: [...this.#reasons.keys(), reason]}),
      ])
      this.#add(reason, now)
    })
  }

  /** Removes one reason, durably. Ingress opens when none is left. */
  resume(reason: KeptReason): Promise<void> {
    return this.#inTurn(async () => {
      const left = [...this.#reasons.keys()].filter(each => each !== reason)
      const from = reason === "release" ? this.#reasons.get(reason) : undefined
      const ended = from === undefined ? [] : [{from, to: Date.now()}]
      await this.#database.write([
        deleteMeta(metaKeyOf(reason)),
        ...ended.flatMap(storing),
        ...(this.#reasons.has(reason) ? [telling("ingress.resumed", {reason, reasons: left})] : []),
      ])
      this.#releases = [...this.#releases, ...ended]
      this.#remove(reason)
    })
  }

  /** Sets the reason `disk`, which no restart keeps. */
  setDiskFull(isFull: boolean): void {
    if (isFull === this.#reasons.has("disk")) return
    if (isFull) this.#add("disk", Date.now())
    else this.#remove("disk")
    this.#raise(isFull ? "ingress.paused" : "ingress.resumed", {reason: "disk", reasons: [...this.#reasons.keys()]})
  }

  /** Adds `database`: the Host's file is lost, or damaged where events are stored. It holds until the Host ends. */
  setDatabaseLost(): void {
    this.#add("database", Date.now())
  }

  /** Throws `ingress_paused`; `what` names the refused act. */
  requireOpen(what: string): void {
    if (this.isPaused) {
      const reasons = [...this.#reasons.keys()].join(", ")
      throw new Problem("ingress_paused", `${what}: ingress is paused (${reasons})`, {retryAfter})
    }
  }

  #inTurn(change: () => Promise<void>): Promise<void> {
    const changed = this.#last.then(change)
    this.#last = changed.catch(() => {})
    return changed
  }

  #add(reason: IngressReason, at: number): void {
    if (this.#reasons.has(reason)) return
    this.#since = this.isPaused ? Math.min(this.#since, at) : at
    this.#reasons.set(reason, at)
    this.#tell(`ingress is paused: ${reason}`, at)
  }

  #remove(reason: IngressReason): void {
    if (!this.#reasons.delete(reason)) return
    const now = Date.now()
    if (!this.isPaused) this.#since = now
    this.#tell(this.isPaused ? `ingress stays paused; the reason ${reason} has ended` : "ingress is open", now)
  }

  #tell(message: string, at: number): void {
    this.#view = undefined
    this.#log.warn(message, {reasons: [...this.#reasons.keys()].join(" ")})
    for (const hear of this.#hearers) hear(at)
  }
}
