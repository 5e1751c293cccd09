import {ConnectionPool, Sqlite3Client} from "@libsql/client/sqlite3"
import {BoundedMap} from "../runtime/bounded-map.ts"
import {toBatchError, toClientError} from "./driver-errors.ts"
import {type Bound, type Columns, toColumns, toRow} from "./driver-values.ts"
import type {Result} from "./engine.ts"

type Connection = ReturnType<ConnectionPool["acquireSync"]>
type Prepared = ReturnType<Connection["prepare"]>

/** A connection keeps so many statements; one more drops the oldest. */
const most = 192

/**
 * Statements that change rows, and what is around them. SQLite prepares a kept one anew once a table has changed; only the
 * names of the columns that it returns are asked for once.
 */
const isKept = (sql: string): boolean =>
  /^(INSERT|UPDATE|DELETE|BEGIN|COMMIT)\b/.test(sql) && !/\bRETURNING\s+\*/.test(sql)

/**
 * The client of one connection to a file, as `createClient` makes it, but that it keeps what it prepares: preparing costs a
 * statement for many rows four times what it costs to run it for one (measured). The pool is the client's own and marked
 * private there, hence the exact version.
 */
export const createKeepingClient = (file: string, timeout: number): LocalClient =>
  new LocalClient(new KeepingPool(file, {timeout}, 1), "number")

/** A transaction on the connection itself. Throws what the client's own transactions throw. */
export interface Direct {
  run(statements: readonly Bound[]): readonly Result[]
  commit(): void
  /** Takes back what is not committed. */
  close(): void
}

export class LocalClient extends Sqlite3Client {
  readonly #pool: ConnectionPool

  constructor(pool: ConnectionPool, intMode: "number") {
    super(pool, intMode)
    this.#pool = pool
  }

  /** Begins a transaction that writes, without what the client does for each statement, row and value. */
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
    if (known !== undefined) return known
    if (!isKept(sql)) return prepare(sql)
    const statement = new KeptStatement(prepare(sql), () => kept.delete(sql))
    kept.set(sql, statement)
    return statement
  }
  Object.defineProperty(connection, "prepare", {value})
}

const returnsNothing = new TypeError("the statement returns no rows")

/** What the client does with a statement; what it asks for each time is asked for once. One that fails is not kept. */
class KeptStatement {
  readonly #statement: Prepared
  readonly #forget: () => void
  readonly #columns: ReturnType<Prepared["columns"]> | undefined
  readonly #named: Columns | undefined

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
    return this.#run(() => this.#statement.all(args))
  }

  run(args: readonly unknown[]) {
    return this.#run(() => this.#statement.run(args))
  }

  result(args: readonly unknown[]): Result {
    const named = this.#named
    if (named === undefined) return {rows: [], changes: this.run(args).changes}
    return {rows: this.all(args).map(values => toRow(named, values as readonly unknown[])), changes: 0}
  }

  #run<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      this.#forget()
      throw error
    }
  }
}

const returnsRows = (statement: Prepared): boolean => {
  try {
    statement.raw(true)
    return true
  } catch {
    return false
  }
}
