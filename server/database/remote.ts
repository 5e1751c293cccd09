import {type Client, createClient} from "@libsql/client/http"
import {LibsqlBatchError} from "@libsql/core/api"
import {messageOf, Problem} from "../../shared/problems.ts"
import type {Secret} from "../../shared/secret.ts"
import {pauseStart, startEnded} from "../runtime/flow/starting.ts"
import {withTimeLimit} from "../runtime/flow/time-limit.ts"
import type {Engine, Purged, Result, Row, Statement} from "./engine.ts"
import {StatementFailed} from "./engine.ts"
import {databaseProblem, isStatementError} from "./errors.ts"
import {toDriver, toDrivers, toResult} from "./local.ts"

/** How long a lease holds without being renewed, and how often it is, in milliseconds. The database's clock decides. */
export const lease = {length: 15_000, renewEvery: 5_000} as const

/** How long an answer is waited for while the database is opened, in milliseconds: a fetch alone waits for minutes. */
const answerLimit = 10_000

const now = "CAST(unixepoch('subsec') * 1000 AS INTEGER)"

const schema = [
  "CREATE TABLE IF NOT EXISTS svc_lease (id INTEGER PRIMARY KEY CHECK (id = 1), runtime_id TEXT NOT NULL, lease INTEGER NOT NULL, until INTEGER NOT NULL)",
  "CREATE TABLE IF NOT EXISTS svc_lease_check (held INTEGER NOT NULL CHECK (held = 1))",
  "INSERT OR IGNORE INTO svc_lease (id, runtime_id, lease, until) VALUES (1, '', 0, 0)",
]

/** Where a remote database is. */
export interface RemoteAddress {
  readonly url: string
  readonly authToken?: Secret
}

export interface RemoteOptions extends RemoteAddress {
  readonly runtimeId: string
  /** Ends the wait for the lease. */
  readonly signal: AbortSignal
  /** Called once, when another Host has taken the lease. */
  readonly onLeaseLost: () => void
}

/**
 * A remote libSQL database over HTTP, for as long as this Host holds the writer lease. Every transaction begins with a
 * statement that aborts it when the lease has passed to another Host. Throws `locked` while another Host holds it;
 * `database_unopenable`.
 */
export const openRemote = async (options: RemoteOptions): Promise<Engine> => {
  const client = connect(options)
  try {
    await answerOf(() => client.batch(schema, "write"), options)
    const number = await awaitLease(client, options)
    return new RemoteEngine(client, options, number)
  } catch (cause) {
    client.close()
    if (options.signal.aborted) throw startEnded()
    throw cause instanceof Problem ? cause : unreachable(options, cause)
  }
}

const answerOf = <T>(ask: () => Promise<T>, {signal}: Pick<RemoteOptions, "signal">): Promise<T> =>
  withTimeLimit(answerLimit, ask, signal)

/** A client that speaks HTTP. */
export const connect = ({url, authToken}: RemoteAddress, more: {readonly intMode?: "bigint"} = {}): Client =>
  createClient({
    url: url.replace(/^ws/, "http"),
    ...(authToken === undefined ? {} : {authToken: authToken.reveal()}),
    ...more,
  })

export const unreachable = ({url}: RemoteAddress, cause: unknown) =>
  new Problem("database_unopenable", `cannot open the remote database at ${new URL(url).host}: ${messageOf(cause)}`, {
    cause,
    hint: "Check database.url, database.authToken and the network, then run svc doctor.",
  })

/** Only reads, beside whoever has the lease. Throws `database_unopenable`. */
export const readRemote = async <T>(options: RemoteAddress, work: (read: Engine["read"]) => Promise<T>): Promise<T> => {
  const client = connect(options)
  try {
    return await work(async (sql, args = []) => toResult(await client.execute(toDriver({sql, args}))).rows)
  } catch (cause) {
    throw cause instanceof Problem ? cause : unreachable(options, cause)
  } finally {
    client.close()
  }
}

interface Lease {
  readonly holder: string
  /** Grows by one with each Host that takes the lease. */
  readonly number: number
  /** When it ends, by the database's clock. */
  readonly until: number
  readonly left: number
}

/**
 * Takes the lease. One that nobody renews is of a Host that died, and is waited for: a supervisor that starts a killed
 * Host again would otherwise use up its attempts on it. Throws `locked` as soon as its holder renews it; `stopping`.
 */
const awaitLease = async (client: Client, {runtimeId, signal}: RemoteOptions): Promise<number> => {
  const attempt = () => answerOf(() => tryLease(client, runtimeId), {signal})
  const first = await attempt()
  for (let found = first; ; found = await attempt()) {
    if (found.holder === runtimeId) return found.number
    if (found.number !== first.number || found.until !== first.until) throw lockedBy(found)
    await pauseStart(250, signal)
  }
}

const tryLease = async (client: Client, runtimeId: string): Promise<Lease> => {
  const [, taken] = await client.batch(
    [
      {
        sql: `UPDATE svc_lease SET runtime_id = ?, lease = lease + 1, until = ${now} + ? WHERE id = 1 AND until < ${now}`,
        args: [runtimeId, lease.length],
      },
      `SELECT runtime_id, lease, until, until - ${now} AS left FROM svc_lease WHERE id = 1`,
    ],
    "write",
  )
  const row = taken?.rows[0]
  return {
    holder: String(row?.runtime_id),
    number: Number(row?.lease),
    until: Number(row?.until),
    left: Number(row?.left),
  }
}

const lockedBy = ({holder, left}: Lease) =>
  new Problem(
    "locked",
    `another Host holds the remote database: runtimeId ${holder}, for ${Math.ceil(left / 1000)} s more unless it renews its lease`,
    {
      hint: "Stop the other Host; after a crash its lease ends by itself.",
      retryAfter: Math.max(1, Math.ceil(left / 1000)),
    },
  )

class RemoteEngine implements Engine {
  readonly canEndBetween = false
  readonly #client: Client
  readonly #options: RemoteOptions
  readonly #number: number
  readonly #renewal: ReturnType<typeof setInterval>
  #hasLease = true

  constructor(client: Client, options: RemoteOptions, number: number) {
    this.#client = client
    this.#options = options
    this.#number = number
    this.#renewal = setInterval(() => void this.#renew().catch(() => {}), lease.renewEvery)
    this.#renewal.unref()
  }

  async read(sql: string, args: Statement["args"] = []): Promise<readonly Row[]> {
    try {
      return toResult(await this.#client.execute(toDriver({sql, args}))).rows
    } catch (cause) {
      throw databaseProblem(cause, "reading failed")
    }
  }

  async commit(statements: readonly Statement[]): Promise<readonly Result[]> {
    const prepared = toDrivers(statements)
    try {
      const results = await this.#client.batch([toDriver(this.#held()), ...prepared], "write")
      return results.slice(1).map(toResult)
    } catch (cause) {
      throw this.#explain(cause)
    }
  }

  async migrate(statements: readonly Statement[], signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw new Problem("stopping", "the migration was ended by a signal; the next start repeats it")
    await this.commit(statements)
  }

  async purge(): Promise<Purged> {
    return "remote"
  }

  async giveBack(): Promise<void> {
    throw new Problem("compact_unavailable", "a remote database is compacted by its own server")
  }

  async truncateLog(): Promise<void> {}

  async close(): Promise<void> {
    clearInterval(this.#renewal)
    await this.#client
      .execute({
        sql: "UPDATE svc_lease SET until = 0 WHERE id = 1 AND runtime_id = ? AND lease = ?",
        args: [this.#options.runtimeId, this.#number],
      })
      .catch(() => {})
    this.#client.close()
  }

  #held(): Statement {
    return {
      sql: "INSERT INTO svc_lease_check (held) SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM svc_lease WHERE id = 1 AND runtime_id = ? AND lease = ?)",
      args: [this.#options.runtimeId, this.#number],
    }
  }

  #renew() {
    return this.commit([{sql: `UPDATE svc_lease SET until = ${now} + ? WHERE id = 1`, args: [lease.length]}])
  }

  #loseLease() {
    clearInterval(this.#renewal)
    if (this.#hasLease) this.#options.onLeaseLost()
    this.#hasLease = false
  }

  #explain(cause: unknown): Error {
    const index = cause instanceof LibsqlBatchError ? cause.statementIndex : undefined
    if (index === 0 && isStatementError(cause)) {
      this.#loseLease()
      return new Problem("lease_lost", "another Host has taken over the remote database", {cause})
    }
    if (isStatementError(cause)) return new StatementFailed(index === undefined ? undefined : index - 1, cause)
    if (index !== undefined) return databaseProblem(cause, "storing failed")
    // The request may have been carried out though its answer was lost.
    return new Problem("database_outcome_unknown", `the remote database did not answer: ${messageOf(cause)}`, {cause})
  }
}
