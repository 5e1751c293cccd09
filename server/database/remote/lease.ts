import type {Client} from "@libsql/client/http"
import {Problem} from "../../../shared/problems.ts"
import {pauseStart} from "../../runtime/flow/starting.ts"
import {TimeLimitExceeded, withTimeLimit} from "../../runtime/flow/time-limit.ts"
import {toDrivers} from "../engine/driver-values.ts"
import type {Engine, Row, Statement} from "../engine/engine.ts"
import {databaseProblem, indexOf, isConstraint, isUnreachable} from "../engine/errors.ts"
import {type Link, noLonger} from "./link.ts"

/**
 * How long a lease lasts without renewal, and during a migration; how often it is renewed, and how long a renewal may
 * take, in milliseconds. The limit is short, so that a renewal on a hanging connection is repeated on another one in
 * time. The database's clock decides who may take the lease.
 */
export const lease = {length: 15_000, migration: 60_000, renewEvery: 5_000, answerWithin: 4_000} as const

/** How long one last renewal may take after the lease's end, in milliseconds: the process may have stood still. */
const grace = 2_000

const now = "CAST(unixepoch('subsec') * 1000 AS INTEGER)"

const schema = [
  "CREATE TABLE IF NOT EXISTS svc_lease (id INTEGER PRIMARY KEY CHECK (id = 1), runtime_id TEXT NOT NULL, lease INTEGER NOT NULL, until INTEGER NOT NULL)",
  "CREATE TABLE IF NOT EXISTS svc_lease_check (held INTEGER NOT NULL CHECK (held = 1))",
  "INSERT OR IGNORE INTO svc_lease (id, runtime_id, lease, until) VALUES (1, '', 0, 0)",
]

/** Who asks for the lease. The signal ends the wait. */
export interface Claimant {
  readonly runtimeId: string
  readonly signal: AbortSignal
}

interface Found {
  readonly holder: string
  /** Grows by one with each Host that takes the lease. */
  readonly number: number
  /** When it ends, by the database's clock. */
  readonly until: number
  readonly left: number
  /** When the question was sent, by this process's monotonic clock. */
  readonly sentAt: number
}

export interface Taken {
  readonly runtimeId: string
  readonly number: number
  /** Until when it certainly lasts, by this process's monotonic clock, counted from the request. */
  readonly until: number
}

/**
 * Takes the lease. Waits for a lease that is not renewed, since its Host has died: otherwise a supervisor would use up
 * its attempts to restart a killed Host. It only reads meanwhile: some servers end a write transaction after 5 s if
 * another one waits for it. Throws `stopping`, and `locked` as soon as its holder renews it.
 */
export const takeLease = async (
  link: Link,
  client: Client,
  read: Engine["read"],
  {runtimeId, signal}: Claimant,
): Promise<Taken> => {
  const take = () => link.twice(() => tryLease(client, runtimeId))
  const look = async () => {
    const sentAt = performance.now()
    return toFound((await read(current))[0], sentAt)
  }
  const tables = await read("SELECT 1 FROM sqlite_master WHERE name = 'svc_lease'")
  const first = tables.length === 0 ? await take() : await look()
  for (let found = first; ; found = await look()) {
    if (found.left < 0) found = await take()
    if (found.holder === runtimeId)
      return {runtimeId, number: found.number, until: found.sentAt + Math.min(lease.length, found.left)}
    if (found.number !== first.number || found.until !== first.until) throw lockedBy(found)
    await pauseStart(250, signal)
  }
}

const current = `SELECT runtime_id, lease, until, until - ${now} AS left FROM svc_lease WHERE id = 1`

const tryLease = async (client: Client, runtimeId: string): Promise<Found> => {
  const sentAt = performance.now()
  const results = await client.batch(
    [
      ...schema,
      {
        sql: `UPDATE svc_lease SET runtime_id = ?, lease = lease + 1, until = ${now} + ? WHERE id = 1 AND until < ${now}`,
        args: [runtimeId, lease.length],
      },
      current,
    ],
    "write",
  )
  return toFound(results.at(-1)?.rows[0], sentAt)
}

/** Without its row, the lease counts as expired. */
const toFound = (row: Row | undefined, sentAt: number): Found => ({
  holder: String(row?.runtime_id),
  number: Number(row?.lease),
  until: Number(row?.until),
  left: Number(row?.left ?? -1),
  sentAt,
})

const lockedBy = ({holder, left}: Found) =>
  new Problem(
    "locked",
    `another Host holds the remote database: runtimeId ${holder}; its lease expires in ${Math.ceil(left / 1000)} s unless it renews it`,
    {hint: "Stop the other Host; after a crash, wait for its lease.", retryAfter: Math.max(1, Math.ceil(left / 1000))},
  )

/** Did the lease's own statement, the first of each batch, refuse the batch? */
export const isTaken = (cause: unknown): boolean => indexOf(cause) === 0 && isConstraint(cause)

/**
 * The lease of this Host, renewed while the database answers. It ends permanently when another Host has taken it, or
 * when it may have expired by this process's monotonic clock.
 */
export class Lease {
  readonly #link: Link
  readonly #client: Client
  readonly #taken: Taken
  readonly #onLost: (why: Problem) => void
  readonly #isOlder: () => Promise<boolean>
  #until: number
  /** Why this Host stores nothing more. */
  #lost: Problem | undefined
  /** Why renewals have failed since one succeeded. */
  #causes: unknown[] = []
  #migrations = 0
  #renewal: ReturnType<typeof setTimeout> | undefined
  #watch: ReturnType<typeof setTimeout> | undefined
  #isClosed = false

  constructor(link: Link, taken: Taken, onLost: (why: Problem) => void, isOlder: () => Promise<boolean>) {
    this.#link = link
    this.#client = link.client({limit: lease.answerWithin})
    this.#taken = taken
    this.#onLost = onLost
    this.#isOlder = isOlder
    this.#until = taken.until
    this.#renewAfter(lease.renewEvery)
    this.#watchEnd()
  }

  /** The first statement of every batch: it refuses the batch if another Host has the lease. */
  get held(): Statement {
    const {runtimeId, number} = this.#taken
    return {
      sql: "INSERT INTO svc_lease_check (held) SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM svc_lease WHERE id = 1 AND runtime_id = ? AND lease = ?)",
      args: [runtimeId, number],
    }
  }

  /** True while certainly no other Host has the lease. */
  get holds(): boolean {
    return this.#lost === undefined && (this.#migrations > 0 || performance.now() < this.#until)
  }

  /** Why the database does not renew the lease. A connection that the server closed counts if the repeat fails too. */
  get unrenewed(): string | undefined {
    return this.#causes.length > 1 || this.#causes[0] instanceof TimeLimitExceeded ? this.#why().message : undefined
  }

  /** Once the lease has ended, throws `lease_lost`, `database_older`, or `stopping` if nobody else has taken it. */
  require(): void {
    if (this.#lost !== undefined) throw this.#lost
  }

  /**
   * Runs a migration. It occupies the database's only writer, so a renewal would wait for it. The longer lease keeps
   * other Hosts from waiting for the writer: some servers would end the migration for them.
   */
  async during<T>(migration: () => Promise<T>): Promise<T> {
    this.#migrations++
    try {
      await this.#extend(lease.migration)
      return await migration()
    } finally {
      this.#migrations--
      await this.#renew()
    }
  }

  /** Ends the lease because the database names it no more: another Host has taken it, or the data is older. */
  async passed(cause: unknown): Promise<Problem> {
    // The Host sends nothing while it finds out.
    this.#until = 0
    const isOlder = await this.#isOlder().catch(() => false)
    if (isOlder) return this.#lose(new Problem("database_older", "the remote database has older data now", {cause}))
    return this.#lose(new Problem("lease_lost", "another Host has taken over the remote database", {cause}))
  }

  /** Releases the lease, so that the next Host need not wait until it expires. Gives up after a second. */
  async release(): Promise<void> {
    this.#stop()
    const {runtimeId, number} = this.#taken
    const sql = "UPDATE svc_lease SET until = 0 WHERE id = 1 AND runtime_id = ? AND lease = ?"
    await withTimeLimit(1000, () => this.#client.execute({sql, args: [runtimeId, number]})).catch(() => {})
  }

  #stop(): void {
    this.#isClosed = true
    clearTimeout(this.#renewal)
    clearTimeout(this.#watch)
  }

  #renewAfter(milliseconds: number): void {
    if (this.#isClosed) return
    clearTimeout(this.#renewal)
    this.#renewal = setTimeout(() => void this.#renew(), milliseconds)
    this.#renewal.unref()
  }

  /** Renews the lease. Repeats an unanswered renewal at once, on a new connection. Never rejects. */
  async #renew(): Promise<void> {
    if (this.#isClosed || this.#migrations > 0) return
    const sentAt = performance.now()
    try {
      await this.#extend(lease.length)
      this.#causes = []
      this.#renewAfter(lease.renewEvery)
    } catch (cause) {
      if (isTaken(cause)) return void (await this.passed(cause))
      const isFirst = this.#causes.push(cause) === 1
      this.#renewAfter(isFirst ? 50 : Math.max(50, 1000 - (performance.now() - sentAt)))
    }
  }

  #why(): Problem {
    const cause = this.#causes.at(-1)
    if (isUnreachable(cause)) return this.#link.unanswered(cause)
    return databaseProblem(cause, "the remote database does not renew the lease")
  }

  /** Lets the lease end after `length` milliseconds, counted from the moment at which the database stores that. */
  async #extend(length: number): Promise<void> {
    const sentAt = performance.now()
    const extend = {sql: `UPDATE svc_lease SET until = ${now} + ? WHERE id = 1`, args: [length]}
    await this.#link.ask(() => this.#client.batch(toDrivers([this.held, extend]), "write"), this.#causes.length > 0)
    this.#until = sentAt + length
  }

  #watchEnd(): void {
    if (this.#isClosed) return
    const left = this.#migrations > 0 ? lease.renewEvery : this.#until - performance.now()
    this.#watch = setTimeout(() => (this.holds ? this.#watchEnd() : void this.#end()), Math.max(0, left))
    this.#watch.unref()
  }

  /** Asks the database one last time: a process that stood still has neither sent a renewal nor read its answer. */
  async #end(): Promise<void> {
    await withTimeLimit(grace, () => this.#renew()).catch(cause => this.#causes.push(cause))
    if (this.#isClosed) return
    if (this.holds) return this.#watchEnd()
    const {code, message} = this.#why()
    const expired = `the lease of the remote database has expired: no renewal in ${lease.length / 1000} s`
    this.#lose(new Problem(code, `${expired} (${message})`), noLonger())
    this.#link.endBy(performance.now() + 1000)
  }

  #lose(why: Problem, refusal = why): Problem {
    if (this.#lost !== undefined) return this.#lost
    this.#lost = refusal
    this.#stop()
    this.#onLost(why)
    return why
  }
}
