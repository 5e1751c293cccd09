import {ConnectionPool, Sqlite3Client} from "@libsql/client/sqlite3"
import {tryOr} from "../../../shared/try-or.ts"
import {BoundedMap} from "../../runtime/bounded-map.ts"
import {toBatchError, toClientError} from "./driver-errors.ts"
import {type Bound, type Columns, toColumns, toRow} from "./driver-values.ts"
import type {Result} from "./engine.ts"

type Connection = ReturnType<ConnectionPool["acquireSync"]>
type Prepared = ReturnType<Connection["prepare"]>

/** How many statements a connection keeps. One more drops the least recently used one. */
const most = 256

/**
 * True for statements that read or change rows, and for the transaction statements around them. SQLite prepares a kept
 * statement again when a table has changed; only the names of its result columns are read once.
 */
const isKept = (sql: string): boolean =>
  /^(INSERT|UPDATE|DELETE|BEGIN|COMMIT)\b/.test(sql)
    ? !/\bRETURNING\s+\*/.test(sql)
    : /^SELECT\b/.test(sql) && !/(?<!\()\*/.test(sql)

/**
 * Returns a client of one connection to a file, as `createClient` makes it, but with kept prepared statements.
 * Preparing a statement costs four to twenty times as much as running it for one row (measured). It uses the pool of
 * the client, which is private there, hence the exact version.
 */
export const createKeepingClient = (file: string, timeout: number): LocalClient =>
  new LocalClient(new KeepingPool(file, {timeout}, 1), "number")

/** A transaction directly on the connection. Throws the same errors as the client's own transactions. */
export interface Direct {
  run(statements: readonly Bound[]): readonly Result[]
  commit(): void
  /** Rolls back uncommitted changes. */
  close(): void
}

export class LocalClient extends Sqlite3Client {
  readonly #pool: ConnectionPool

  constructor(pool: ConnectionPool, intMode: "number") {
    super(pool, intMode)
    this.#pool = pool
  }

  /** Reads or changes data outside of a transaction. */
  async run({sql, args}: Bound): Promise<Result> {
    const connection = await this.#pool.acquire()
    try {
      return run(connection, sql, args)
    } catch (error) {
      throw toClientError(error)
    } finally {
      this.#pool.release(connection)
    }
  }

  /** Begins a write transaction, without the client's work for each statement, row and value. */
  async begin(): Promise<Direct> {
    const connection = await this.#pool.acquire(true)
    const release = () => this.#pool.release(connection)
    try {
      run(connection, "BEGIN IMMEDIATE")
    } catch (error) {
      release()
      throw toClientError(error)
    }
    return {
      run: statements =>
        statements.map(({sql, args}, index) => {
          try {
            return run(connection, sql, args)
          } catch (error) {
            throw toBatchError(error, index)
          }
        }),
      commit: () => {
        try {
          run(connection, "COMMIT")
        } catch (error) {
          throw toClientError(error)
        } finally {
          release()
        }
      },
      close: release,
    }
  }
}

const run = (connection: Connection, sql: string, args: readonly unknown[] = []): Result => {
  const prepared = connection.prepare(sql)
  const statement = prepared instanceof KeptStatement ? prepared : new KeptStatement(prepared, () => {})
  return statement.result(args)
}

class KeepingPool extends ConnectionPool {
  readonly #keeping = new WeakSet<Connection>()

  override acquireSync(forTransaction = false): Connection {
    const connection = super.acquireSync(forTransaction)
    if (!this.#keeping.has(connection)) {
      this.#keeping.add(connection)
      keepStatements(connection)
    }
    return connection
  }
}

const keepStatements = (connection: Connection): void => {
  const prepare = connection.prepare.bind(connection)
  const kept = new BoundedMap<string, KeptStatement>(most)
  const value = (sql: string) => {
    const known = kept.get(sql)
    if (known === undefined && !isKept(sql)) return prepare(sql)
    const statement = known ?? new KeptStatement(prepare(sql), () => kept.delete(sql))
    kept.set(sql, statement)
    return statement
  }
  Object.defineProperty(connection, "prepare", {value})
}

const returnsNothing = new TypeError("the statement returns no rows")

/** Does what the client does with a statement, but reads its properties only once. Keeps no statement that fails. */
class KeptStatement {
  readonly #statement: Prepared
  readonly #forget: () => void
  readonly #columns: ReturnType<Prepared["columns"]> | undefined
  readonly #named: Columns | undefined
  /** The most values that the statement has received. */
  #most = 0

  constructor(statement: Prepared, forget: () => void) {
    this.#statement = statement
    this.#forget = forget
    statement.safeIntegers(true)
    this.#columns = returnsRows(statement) ? statement.columns() : undefined
    this.#named = this.#columns && toColumns(this.#columns.map(({name}) => name))
  }

  safeIntegers(): this {
    return this
  }

  raw(): this {
    if (this.#columns === undefined) throw returnsNothing
    return this
  }

  columns() {
    return this.#columns ?? []
  }

  all(args: readonly unknown[]): unknown[] {
    return this.#run(args, all => this.#statement.all(all))
  }

  run(args: readonly unknown[]) {
    return this.#run(args, all => this.#statement.run(all))
  }

  result(args: readonly unknown[]): Result {
    const named = this.#named
    if (named === undefined) return {rows: [], changes: this.run(args).changes}
    return {rows: this.all(args).map(values => toRow(named, values as readonly unknown[])), changes: 0}
  }

  /** Fills missing values with NULL: the driver would leave the previous value in a parameter without one. */
  #run<T>(args: readonly unknown[], work: (args: readonly unknown[]) => T): T {
    const missing = this.#most - args.length
    try {
      const result = work(missing > 0 ? [...args, ...Array(missing).fill(null)] : args)
      if (missing < 0) this.#most = args.length
      return result
    } catch (error) {
      this.#forget()
      throw error
    }
  }
}

const returnsRows = (statement: Prepared): boolean => tryOr(() => statement.raw(true), undefined) !== undefined
