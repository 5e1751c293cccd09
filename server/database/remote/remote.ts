import type {Client} from "@libsql/client/http"
import {isProblem, messageOf, Problem} from "../../../shared/problems.ts"
import {startEnded} from "../../runtime/flow/starting.ts"
import {TimeLimitExceeded} from "../../runtime/flow/time-limit.ts"
import {toDriver, toDrivers, toResult} from "../engine/driver-values.ts"
import type {Engine, EngineWatcher, Purged, Result, Statement} from "../engine/engine.ts"
import {AnswerLost, StatementFailed, storingGroup} from "../engine/engine.ts"
import {
  databaseProblem,
  indexOf,
  isClosed,
  isConstraint,
  isDamage,
  isHeldBack,
  isStatementError,
  isUnreachable,
  kindsOf,
  readingProblem,
} from "../engine/errors.ts"
import {requireFit} from "./fit.ts"
import {type Claimant, isTaken, Lease, takeLease} from "./lease.ts"
import {Link, patientTimeout, type RemoteAddress, usualTimeout} from "./link.ts"

export type {RemoteAddress} from "./link.ts"

/** How long an unanswered request may delay the exit after a signal, in milliseconds. */
const stopWithin = 6_500

/** Soon after the signal has ended the wait for the lease, nothing waits any longer. */
export interface RemoteOptions extends RemoteAddress, Claimant {
  /** Called once, with the reason, when another Host has taken the lease or it could not be renewed. */
  readonly onLeaseLost: (why: Problem) => void
  /** Inspects the database before the lease is taken. If it throws, the lease is not taken. */
  readonly beforeLease?: ((read: Engine["read"]) => Promise<void>) | undefined
}

/**
 * A remote libSQL database over HTTP, while this Host holds the writer lease. Every transaction begins with a statement
 * that aborts it if another Host has taken the lease. Throws `database_unopenable`, and `locked` while another Host
 * holds the lease.
 */
export const openRemote = async (options: RemoteOptions): Promise<Engine> => {
  const {timeout = usualTimeout, signal, beforeLease, onLeaseLost} = options
  const link = new Link(options)
  const client = link.client({limit: timeout})
  signal.addEventListener("abort", () => link.endBy(performance.now() + stopWithin), {once: true})
  const open = async () => {
    const read = readingWith(link, client, cause => unreachable(options, cause))
    const probe: Client["batch"] = (statements, mode) =>
      link
        .untilAnswered(() => client.batch(statements, mode))
        .catch(cause => {
          throw closedAt("SELECT json_each", cause)
        })
    // Both at once: the start takes no longer.
    await Promise.all([requireFit(probe, new URL(options.url).host), beforeLease?.(read)])
    const taken = await takeLease(link, client, read, options).catch(cause => {
      throw closedAt("INSERT OR IGNORE INTO svc_lease", cause)
    })
    const lease: Lease = new Lease(link, taken, onLeaseLost, () => engine.isOlder())
    const engine = new RemoteEngine(options, link, lease)
    try {
      await engine.prepare()
      if (signal.aborted) throw startEnded()
      return engine
    } catch (error) {
      await lease.release()
      throw error
    }
  }
  try {
    return await untilAborted(signal, open)
  } catch (cause) {
    link.close()
    if (signal.aborted) throw startEnded()
    throw cause instanceof Problem && cause.code !== "database_unanswered" ? cause : unreachable(options, cause)
  }
}

const untilAborted = <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const end = () => reject(startEnded())
    if (signal.aborted) return end()
    signal.addEventListener("abort", end, {once: true})
    void work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", end))
  })

/** Reads, and repeats an unanswered read on new connections. */
const readingWith =
  (link: Link, client: Client, explain: (cause: unknown) => Error): Engine["read"] =>
  async (sql, args = []) => {
    try {
      return toResult(await link.untilAnswered(() => client.execute(toDriver({sql, args})))).rows
    } catch (cause) {
      throw cause instanceof Problem ? cause : explain(closedAt(kindsOf([{sql}]), cause))
    }
  }

/** Adds to the error of a closed connection what the server should have answered. */
const closedAt = (what: string, cause: unknown): unknown =>
  !(cause instanceof Problem) && isClosed(cause)
    ? new Error(`it closed the connection instead of answering ${what}`, {cause})
    : cause

/** Returns a client that speaks HTTP, with enough time for requests that read much. */
export const connect = (address: RemoteAddress, more: {readonly intMode?: "bigint"} = {}): Client =>
  new Link(address).client({limit: patientTimeout, ...more})

export const unreachable = ({url}: RemoteAddress, cause: unknown) => {
  const why = `cannot open the remote database at ${new URL(url).host}: ${messageOf(cause)}`
  if (isHeldBack(cause)) return new Problem("database_busy", why, {cause})
  const hint = "Check database.url, database.authToken and the network, then run svc doctor."
  return new Problem("database_unopenable", why, {cause, hint})
}

/** Reads beside the holder of the lease, without taking it. Throws `database_unopenable`. */
export const readRemote = async <T>(options: RemoteAddress, work: (read: Engine["read"]) => Promise<T>): Promise<T> => {
  const link = new Link(options)
  const client = link.client({limit: options.timeout ?? usualTimeout})
  try {
    return await work(readingWith(link, client, cause => unreachable(options, cause)))
  } catch (cause) {
    throw cause instanceof Problem ? cause : unreachable(options, cause)
  } finally {
    client.close()
    link.close()
  }
}

const readGroup: Statement = {sql: "SELECT number FROM svc_group WHERE id = 1"}

/** Refuses the batch if this group or a later one is stored (a late request), or an earlier stored one is missing. */
const inOrder = (stored: number, number: number): Statement => ({
  sql: "INSERT INTO svc_lease_check (held) SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM svc_group WHERE id = 1 AND number >= ? AND number < ?)",
  args: [stored, number],
})

class RemoteEngine implements Engine {
  readonly canEndBetween = false
  readonly #address: RemoteAddress
  readonly #link: Link
  readonly #lease: Lease
  readonly #client: Client
  /** The number of the last group that was sent; -1 until the table exists. No number is used twice. */
  #group = -1
  /** The number of the last group that is known to be stored. */
  #stored = -1
  readonly read: Engine["read"]

  constructor(address: RemoteAddress, link: Link, lease: Lease) {
    this.#address = address
    this.#link = link
    this.#lease = lease
    this.#client = link.client({limit: address.timeout ?? usualTimeout})
    this.read = readingWith(link, this.#client, cause =>
      isUnreachable(cause) ? link.unanswered(cause) : readingProblem(cause),
    )
  }

  get group(): number {
    return this.#stored
  }

  get mayAct(): boolean {
    return this.#lease.holds
  }

  get unrenewed(): string | undefined {
    return this.#lease.unrenewed
  }

  async prepare(): Promise<void> {
    const tables = await this.read("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'svc_group'")
    const [row] = tables.length === 0 ? [] : await this.read(readGroup.sql)
    this.#stored = Number(row?.number ?? -1)
    this.#group = Math.max(this.#group, this.#stored)
  }

  /** Does the database lack a group that it had stored, as after a restart of its server with an older copy? */
  async isOlder(): Promise<boolean> {
    const [row] = await this.read(readGroup.sql)
    return Number(row?.number ?? -1) < this.#stored
  }

  watch(watcher: EngineWatcher): void {
    this.#link.watch(watcher)
  }

  async commit(statements: readonly Statement[]): Promise<readonly Result[]> {
    this.#lease.require()
    const own = toDrivers(statements)
    const group = this.#group < 0 ? undefined : ++this.#group
    const before = [this.#lease.held, ...(group === undefined ? [] : [inOrder(this.#stored, group)])]
    const after = group === undefined ? [] : [storingGroup(group)]
    const batch = [...toDrivers(before), ...own, ...toDrivers(after)]
    const store = async () => {
      const results = await this.#link.ask(() => this.#client.batch(batch, "write"))
      this.#stored = group ?? -1
      return results.slice(before.length, before.length + own.length).map(toResult)
    }
    const fail = async (cause: unknown): Promise<never> => {
      if (indexOf(cause) === 1 && isConstraint(cause) && (await this.isOlder())) throw await this.#lease.passed(cause)
      const error = await this.#explain(cause, before.length, own.length)
      const isOpen = isProblem(error, "database_outcome_unknown") && !(cause instanceof TimeLimitExceeded)
      throw group !== undefined && isOpen ? await this.#decide(group, cause) : error
    }
    try {
      return await store()
    } catch (cause) {
      if (group === undefined || !isUnreachable(cause)) return fail(cause)
    }
    // Sends the group again under the same number, on a new connection. It is stored once, whichever request arrives.
    try {
      return await store()
    } catch (cause) {
      if (indexOf(cause) === 1 && isConstraint(cause) && !(await this.isOlder())) throw new AnswerLost()
      return fail(cause)
    }
  }

  /** Finds out whether a group was stored. The look stores the next number, so that no late request stores it. */
  async #decide(group: number, cause: unknown): Promise<Error> {
    const next = ++this.#group
    const batch = toDrivers([this.#lease.held, inOrder(this.#stored, next), readGroup, storingGroup(next)])
    try {
      const [, , found] = await this.#link.ask(() => this.#client.batch(batch, "write"))
      this.#stored = next
      if (Number(found?.rows[0]?.number) === group) return new AnswerLost()
      const what = isUnreachable(cause) ? "closed the connection instead of an answer" : "rejected the request"
      return new Problem("database_failed", `the remote database ${what}: ${messageOf(cause)}`, {cause})
    } catch (later) {
      return isConstraint(later) ? this.#lease.passed(later) : outcomeUnknown(cause)
    }
  }

  async migrate(statements: readonly Statement[], signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw new Problem("stopping", "a signal interrupted the migration; the next start repeats it")
    this.#lease.require()
    const batch = toDrivers([this.#lease.held, ...statements])
    const client = this.#link.client({limit: Math.max(patientTimeout, this.#address.timeout ?? 0)})
    try {
      await this.#lease.during(() => this.#link.ask(() => client.batch(batch, "write")))
    } catch (cause) {
      throw await this.#explain(closedAt(kindsOf(statements), cause), 1, statements.length)
    }
    if (this.#group < 0) await this.prepare()
  }

  async purge(): Promise<Purged> {
    return "remote"
  }

  async giveBack(): Promise<void> {
    throw new Problem("compact_unavailable", "the server of a remote database compacts it, not svc")
  }

  async truncateLog(): Promise<void> {}

  async close(): Promise<void> {
    await this.#lease.release()
    this.#client.close()
    this.#link.close()
  }

  /** `count` statements of a batch are the caller's, after `before` of the engine's own. */
  async #explain(cause: unknown, before: number, count: number): Promise<Error> {
    if (cause instanceof Problem) return cause
    if (isTaken(cause)) return this.#lease.passed(cause)
    const index = indexOf(cause)
    const place = index === undefined ? undefined : index - before
    if (isStatementError(cause) || isDamage(cause)) {
      const isCallers = place === undefined || (place >= 0 && place < count)
      if (isCallers) return new StatementFailed(place, cause)
      return databaseProblem(cause, "storing failed")
    }
    if (index !== undefined || isHeldBack(cause)) return databaseProblem(cause, "storing failed")
    return outcomeUnknown(cause)
  }
}

/** The server may have carried out the request although its answer was lost. */
const outcomeUnknown = (cause: unknown) =>
  new Problem("database_outcome_unknown", `the remote database did not answer: ${messageOf(cause)}`, {cause})
