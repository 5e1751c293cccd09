import type {DatabaseSync, StatementSync} from "node:sqlite"
import {type BatchCondition, type BatchStep, decode, encode, type HranaRequest, type HranaStatement} from "./hrana.ts"
import {
  HranaError,
  isSyntaxError,
  ProtocolError,
  prepareError,
  requireNames,
  requireSupported,
  runError,
} from "./hrana-errors.ts"

export type Answer = Record<string, unknown>

export interface StreamOptions {
  /** The most bytes of the values in one answer. */
  readonly mostBytes: number
  /** Texts that the server's parser has accepted. */
  readonly parsed: Set<string>
  /** Words of SQL that the server does not know. */
  readonly lacks: string | undefined
  /** True while every write transaction is refused as busy. */
  readonly isBusy: () => boolean
}

/** A server stores no longer text, in bytes, and no more texts. */
const mostStored = {bytes: 5000, texts: 50} as const

/** A stream: the use of a connection, with its stored texts. */
export class Stream {
  readonly #database: DatabaseSync
  readonly #options: StreamOptions
  readonly #texts = new Map<number, string>()
  #bytes = 0
  #isForced = false
  /** When its write transaction began, by the monotonic clock. */
  writingSince: number | undefined

  constructor(database: DatabaseSync, options: StreamOptions) {
    this.#database = database
    this.#options = options
  }

  /** Throws `ProtocolError`. */
  answer(request: HranaRequest): Answer {
    try {
      return {type: "ok", response: this.#answer(request)}
    } catch (cause) {
      if (cause instanceof ProtocolError) throw cause
      const {message, code} = runError(cause)
      return {type: "error", error: {message, code}}
    }
  }

  /** Rolls back an open transaction, and returns the connection for the next stream. */
  close(): DatabaseSync {
    if (this.#database.isTransaction) this.#database.exec("ROLLBACK")
    this.writingSince = undefined
    return this.#database
  }

  /** Rolls back its transaction because another stream waits. This one learns it at its next request. */
  forceBack(): void {
    this.close()
    this.#isForced = true
  }

  #answer(request: HranaRequest): Answer {
    switch (request.type) {
      case "execute":
        return {type: "execute", result: this.#program([{stmt: request.stmt}], () => this.#execute(request.stmt))}
      case "batch":
        return {type: "batch", result: this.#program(request.batch.steps, () => this.#batch(request.batch.steps))}
      case "sequence":
        this.#database.exec(this.#text(request))
        return {type: "sequence"}
      case "store_sql":
        if (Buffer.byteLength(request.sql) > mostStored.bytes)
          throw new HranaError("SQL_STORE_TOO_LARGE", "The statement is too large to be stored")
        if (this.#texts.size >= mostStored.texts)
          throw new HranaError("SQL_STORE_TOO_MANY", "The server cannot store more SQL texts")
        this.#texts.set(request.sql_id, request.sql)
        return {type: request.type}
      case "close_sql":
        this.#texts.delete(request.sql_id)
        return {type: request.type}
      case "close":
        return {type: request.type}
    }
  }

  #text({sql, sql_id}: HranaStatement): string {
    const text = sql ?? this.#texts.get(sql_id ?? -1)
    if (text === undefined) throw new ProtocolError(`SQL text with id ${sql_id} not found`)
    return text
  }

  /** Parses every statement before the first one runs. */
  #program<T>(steps: readonly BatchStep[], run: () => T): T {
    for (const {stmt} of steps) this.#parse(this.#text(stmt))
    this.#bytes = 0
    const isForced = this.#isForced
    this.#isForced = false
    if (isForced) throw new HranaError("TRANSACTION_TIMEOUT", "Transaction timed out")
    const result = run()
    if (!this.#database.isTransaction) this.writingSince = undefined
    return result
  }

  #parse(sql: string): void {
    if (this.#options.parsed.has(sql)) return
    requireSupported(sql, this.#options.lacks)
    try {
      this.#database.prepare(sql)
    } catch (error) {
      if (isSyntaxError(error))
        throw new HranaError("SQL_PARSE_ERROR", `SQL string could not be parsed: ${String(error)}`)
    }
    this.#options.parsed.add(sql)
  }

  #prepare(sql: string): StatementSync {
    try {
      return this.#database.prepare(sql)
    } catch (error) {
      throw prepareError(error, sql)
    }
  }

  #execute(statement: HranaStatement): Answer {
    const sql = this.#text(statement)
    const begins = /^\s*BEGIN\s+(IMMEDIATE|EXCLUSIVE)/i.test(sql)
    if (begins && this.#options.isBusy()) throw new HranaError("SQLITE_BUSY", "SQLite error: database is locked")
    const prepared = this.#prepare(sql)
    prepared.setReadBigInts(true)
    const args = (statement.args ?? []).map(decode)
    const found = prepared.columns()
    requireNames(found, sql)
    const columns = found.map(({name, type}) => ({name, decltype: type}))
    if (columns.length === 0) {
      const {changes, lastInsertRowid} = prepared.run(...args)
      if (begins || (this.#database.isTransaction && changes !== 0)) this.writingSince ??= performance.now()
      const counts = {affected_row_count: Number(changes), last_insert_rowid: String(lastInsertRowid)}
      return {cols: [], rows: [], ...counts}
    }
    const rows = prepared.all(...args).map(row => columns.map(({name}) => this.#counted(encode(row[name]))))
    // Also counted for RETURNING, as in a libSQL server.
    return {cols: columns, rows, affected_row_count: rows.length, last_insert_rowid: null}
  }

  #counted<T extends {readonly type: string; readonly value?: unknown; readonly base64?: string}>(value: T): T {
    this.#bytes +=
      value.base64 === undefined ? 27 + Buffer.byteLength(String(value.value ?? "")) : value.base64.length * 0.75
    if (this.#bytes > this.#options.mostBytes) throw new HranaError("RESPONSE_TOO_LARGE", "Response is too large")
    return value
  }

  #batch(steps: readonly BatchStep[]): Answer {
    const results: (Answer | null)[] = []
    const errors: (Answer | null)[] = []
    const holds = (condition: BatchCondition): boolean => {
      if ("step" in condition) return ((condition.type === "ok" ? results : errors)[condition.step] ?? null) !== null
      if ("cond" in condition) return !holds(condition.cond)
      return condition.type === "and" ? condition.conds.every(holds) : condition.conds.some(holds)
    }
    for (const {condition, stmt} of steps) {
      const outcome = condition === undefined || condition === null || holds(condition) ? this.#try(stmt) : {}
      results.push(outcome.result ?? null)
      errors.push(outcome.error ?? null)
    }
    return {step_results: results, step_errors: errors}
  }

  #try(statement: HranaStatement): {result?: Answer; error?: Answer} {
    try {
      return {result: this.#execute(statement)}
    } catch (cause) {
      const {message, code} = runError(cause)
      // An answer that is too large ends the whole batch.
      if (code === "RESPONSE_TOO_LARGE") throw cause
      return {error: {message, code}}
    }
  }
}
