import {randomUUID} from "node:crypto"
import {createServer, type IncomingMessage, type ServerResponse} from "node:http"
import type {AddressInfo} from "node:net"
import {DatabaseSync} from "node:sqlite"
import {onTestFinished} from "vitest"
import {type BatchCondition, type BatchStep, decode, encode, type HranaRequest, type HranaStatement} from "./hrana.ts"

/** The stand-in as tests control it. */
export interface HranaServer {
  readonly url: string
  /** Runs SQL on the database directly, as another Host would. */
  sql(text: string): readonly Record<string, unknown>[]
  /** How many write transactions have begun. */
  readonly begun: number
  /**
   * Cuts off the next write request with `text` in a statement: before it is carried out, or after, with its answer
   * lost. A `held` request is cut off and arrives at `deliver`.
   */
  cutNext(when: "before" | "after" | "held", text: string): void
  /** Carries out the held request. */
  deliver(): void
  close(): Promise<void>
}

export interface HranaOptions {
  /** The database file. */
  readonly file: string
  /** The only accepted token. */
  readonly token?: string
  /** The port; a free one by default. */
  readonly port?: number
  /** A result with more rows is too large. */
  readonly mostRows?: number
}

type Answer = Record<string, unknown>

/** SQLite's primary result codes (https://www.sqlite.org/rescode.html), with a libSQL server's names. */
const codes: Readonly<Record<number, string>> = {
  1: "SQLITE_ERROR",
  5: "SQLITE_BUSY",
  10: "SQLITE_IOERR",
  13: "SQLITE_FULL",
  19: "SQLITE_CONSTRAINT",
  20: "SQLITE_MISMATCH",
}

class HranaError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** For a libSQL server, a failure to prepare a statement is an input error; a failure to run it has SQLite's code. */
const errorOf = (error: unknown, code?: string): HranaError => {
  if (error instanceof HranaError) return error
  const number = error instanceof Error && "errcode" in error ? Number(error.errcode) & 0xff : 0
  return new HranaError(code ?? codes[number] ?? "UNKNOWN", `SQLite error: ${(error as Error).message}`)
}

/** A stream: the use of a connection, with its stored texts. */
class Stream {
  readonly #database: DatabaseSync
  readonly #texts = new Map<number, string>()
  readonly #mostRows: number

  constructor(database: DatabaseSync, mostRows: number) {
    this.#database = database
    this.#mostRows = mostRows
  }

  answer(request: HranaRequest): Answer {
    switch (request.type) {
      case "execute":
        return {type: "execute", result: this.#execute(request.stmt)}
      case "batch":
        return {type: "batch", result: this.#batch(request.batch.steps)}
      case "sequence":
        this.#database.exec(this.#text(request))
        return {type: "sequence"}
      case "store_sql":
        this.#texts.set(request.sql_id, request.sql)
        return {type: request.type}
      case "close_sql":
      case "close":
        return {type: request.type}
    }
  }

  /** Rolls back an open transaction, and returns the connection for the next stream. */
  close(): DatabaseSync {
    if (this.#database.isTransaction) this.#database.exec("ROLLBACK")
    return this.#database
  }

  #text({sql, sql_id}: HranaStatement): string {
    const text = sql ?? this.#texts.get(sql_id ?? -1)
    if (text === undefined) throw new HranaError("SQL_NOT_FOUND", "no such sql_id")
    return text
  }

  #prepare(statement: HranaStatement) {
    try {
      return this.#database.prepare(this.#text(statement))
    } catch (error) {
      throw errorOf(error, "SQL_INPUT_ERROR")
    }
  }

  #execute(statement: HranaStatement): Answer {
    const prepared = this.#prepare(statement)
    prepared.setReadBigInts(true)
    const args = (statement.args ?? []).map(decode)
    const columns = prepared.columns().map(({name, type}) => ({name, decltype: type}))
    if (columns.length === 0) {
      const {changes, lastInsertRowid} = prepared.run(...args)
      const counts = {affected_row_count: Number(changes), last_insert_rowid: String(lastInsertRowid)}
      return {cols: [], rows: [], ...counts}
    }
    const found = prepared.all(...args)
    if (found.length > this.#mostRows) throw new HranaError("RESPONSE_TOO_LARGE", "Response is too large")
    const rows = found.map(row => columns.map(({name}) => encode(row[name])))
    // Also counted for RETURNING, as in a libSQL server.
    return {cols: columns, rows, affected_row_count: rows.length, last_insert_rowid: null}
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
      const {message, code} = errorOf(cause)
      return {error: {message, code}}
    }
  }
}

/**
 * A stand-in for a remote libSQL database: version 2 of its protocol (Hrana) as JSON over HTTP, in front of a SQLite
 * file. These tests use no real libSQL server. A stream that its request leaves open has a baton for the next request.
 * Closed when the test ends.
 */
export const startHrana = async ({
  file,
  token,
  port: wanted = 0,
  mostRows = Number.POSITIVE_INFINITY,
}: HranaOptions): Promise<HranaServer> => {
  let cut: {when: "before" | "after" | "held"; text: string} | undefined
  let held: readonly HranaRequest[] = []
  let begun = 0

  const open = new Map<string, Stream>()
  const idle: DatabaseSync[] = []

  // A new connection reads the whole schema. The file need not survive a crash of the machine.
  const connect = (): DatabaseSync => {
    const used = idle.pop()
    if (used !== undefined) return used
    const connection = new DatabaseSync(file, {timeout: 5000})
    connection.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF")
    return connection
  }

  const run = (requests: readonly HranaRequest[], baton: string | null): Answer => {
    const stream = (baton === null ? undefined : open.get(baton)) ?? new Stream(connect(), mostRows)
    if (baton !== null) open.delete(baton)
    const results = requests.map(request => {
      try {
        return {type: "ok", response: stream.answer(request)}
      } catch (cause) {
        const {message, code} = errorOf(cause)
        return {type: "error", error: {message, code}}
      }
    })
    const isClosed = requests.some(({type}) => type === "close")
    const next = isClosed ? null : randomUUID()
    if (next === null) idle.push(stream.close())
    else open.set(next, stream)
    return {baton: next, base_url: null, results}
  }

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const send = (status: number, body: Answer) =>
      response.writeHead(status, {"content-type": "application/json"}).end(JSON.stringify(body))
    if (request.method === "GET" && request.url === "/v2") return send(200, {})
    if (request.method !== "POST" || request.url !== "/v2/pipeline") return send(404, {message: "not found"})
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`)
      return send(401, {message: "unauthorized", code: "AUTH_JWT_INVALID"})
    const chunks: Uint8Array[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    if (/BEGIN IMMEDIATE/i.test(body)) begun++
    const {requests, baton = null} = JSON.parse(body) as {requests: readonly HranaRequest[]; baton?: string | null}
    const isCut = cut !== undefined && requests.some(({type}) => type === "batch") && body.includes(cut.text)
    const fault = isCut ? cut?.when : undefined
    if (fault !== undefined) cut = undefined
    if (fault === "held") held = requests
    if (fault === "before" || fault === "held") return request.socket.destroy()
    const answered = run(requests, baton)
    if (fault === "after") return request.socket.destroy()
    return send(200, answered)
  }

  // A killed Host may leave half a request behind.
  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()))
  await new Promise<void>(done => server.listen(wanted, "127.0.0.1", done))
  const {port} = server.address() as AddressInfo
  let isOpen = true
  const close = async () => {
    if (!isOpen) return
    isOpen = false
    server.closeAllConnections()
    await new Promise(done => server.close(done))
    for (const connection of [...idle, ...[...open.values()].map(stream => stream.close())]) connection.close()
  }
  onTestFinished(close)
  return {
    url: `http://127.0.0.1:${port}`,
    sql: text => {
      const direct = connect()
      idle.push(direct)
      return direct.prepare(text).all() as Record<string, unknown>[]
    },
    get begun() {
      return begun
    },
    cutNext: (when, text) => {
      cut = {when, text}
    },
    deliver: () => void run(held, null),
    close,
  }
}
