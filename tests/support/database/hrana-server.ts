import {randomUUID} from "node:crypto"
import {createServer, type IncomingMessage, type ServerResponse} from "node:http"
import type {AddressInfo} from "node:net"
import {DatabaseSync} from "node:sqlite"
import {text} from "node:stream/consumers"
import {setTimeout as sleep} from "node:timers/promises"
import {onTestFinished} from "vitest"
import type {HranaRequest} from "./hrana.ts"
import {ProtocolError} from "./hrana-errors.ts"
import {type Answer, Stream} from "./hrana-stream.ts"

export interface HranaServer {
  readonly url: string
  /** Runs SQL on the database directly, as another Host would. */
  sql(text: string): readonly Record<string, unknown>[]
  readonly begun: number
  /**
   * Cuts off the next write request with `text` in a statement: before it is carried out, or after, with its answer
   * lost. A `held` request is cut off and arrives at `deliver`.
   */
  cutNext(when: "before" | "after" | "held", text: string): void
  deliver(): void
  /** Closes the connection of each request with this text, or of the next few, instead of an answer. */
  drop(text?: string | RegExp, count?: number): void
  /** Answers each beginning of a write transaction with "busy", or no longer. */
  setBusy(isBusy: boolean): void
  requests(): number
  close(): Promise<void>
}

export interface HranaOptions {
  readonly file: string
  readonly token?: string
  /** The port; a free one by default. */
  readonly port?: number
  /** The most bytes of the values in an answer. */
  readonly mostBytes?: number
  /** How long a stream is kept without a request, and a write transaction while another waits, in milliseconds. */
  readonly idle?: number
  readonly longestWrite?: number
  /** Like SQLite 3.43, cuts a text from JSON at its NUL. */
  readonly isOld?: boolean
  /** Words of SQL that the server does not know. */
  readonly lacks?: string
}

/**
 * A stand-in for a remote libSQL database: version 2 of its protocol (Hrana) as JSON over HTTP, in front of a SQLite
 * file, with the errors and limits of a libSQL server. `SVC_TEST_LIBSQL_URL` names a real one for the suites that need
 * no control over it. A stream that its request leaves open has a baton for the next request. Closed when the test ends.
 */
export const startHrana = async ({
  file,
  token,
  port: wanted = 0,
  mostBytes = 10_000_000,
  idle: idleLimit = 10_000,
  longestWrite = 5000,
  isOld = false,
  lacks,
}: HranaOptions): Promise<HranaServer> => {
  let cut: {when: "before" | "after" | "held"; text: string} | undefined
  let held: readonly HranaRequest[] = []
  let begun = 0
  let dropped: {text: string | RegExp; count: number} | undefined
  let isBusy = false
  let requestCount = 0

  const open = new Map<string, {stream: Stream; expiry: ReturnType<typeof setTimeout>}>()
  const expired = new Set<string>()
  const idle: DatabaseSync[] = []
  const options = {mostBytes, parsed: new Set<string>(), isBusy: () => isBusy, lacks}

  // A new connection reads the whole schema. The file need not survive a crash of the machine.
  const connect = (): DatabaseSync => {
    const used = idle.pop()
    if (used !== undefined) return used
    const connection = new DatabaseSync(file, {timeout: 5000})
    connection.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF")
    if (isOld) makeOld(connection)
    return connection
  }

  const take = (baton: string | null): Stream => {
    const kept = baton === null ? undefined : open.get(baton)
    if (baton === null || kept === undefined) return new Stream(connect(), options)
    open.delete(baton)
    clearTimeout(kept.expiry)
    return kept.stream
  }

  const keep = (stream: Stream): string => {
    const baton = randomUUID()
    const expire = () => {
      open.delete(baton)
      expired.add(baton)
      idle.push(stream.close())
    }
    open.set(baton, {stream, expiry: setTimeout(expire, idleLimit).unref()})
    return baton
  }

  const run = (requests: readonly HranaRequest[], baton: string | null): Answer => {
    const stream = take(baton)
    let next: string | null = null
    try {
      const results = requests.map(request => stream.answer(request))
      if (!requests.some(({type}) => type === "close")) next = keep(stream)
      return {baton: next, base_url: null, results}
    } finally {
      if (next === null) idle.push(stream.close())
    }
  }

  /** Waits while another stream writes, for as long as a server lets it. */
  const waitToWrite = async (baton: string | null) => {
    for (;;) {
      const writer = [...open].find(([key, {stream}]) => key !== baton && stream.writingSince !== undefined)?.[1].stream
      if (writer?.writingSince === undefined) return
      if (performance.now() - writer.writingSince >= longestWrite) writer.forceBack()
      else await sleep(10)
    }
  }

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const send = (status: number, body: Answer) =>
      response.writeHead(status, {"content-type": "application/json"}).end(JSON.stringify(body))
    if (request.method === "GET" && request.url === "/v2") return send(200, {})
    if (request.method !== "POST" || request.url !== "/v2/pipeline") return send(404, {message: "not found"})
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`)
      return send(401, {message: "unauthorized", code: "AUTH_JWT_INVALID"})
    const body = await text(request)
    if (/BEGIN IMMEDIATE/i.test(body)) begun++
    requestCount++
    if (dropped !== undefined && body.search(dropped.text) >= 0 && dropped.count-- > 0) return request.socket.destroy()
    const {requests, baton = null} = JSON.parse(body) as {requests: readonly HranaRequest[]; baton?: string | null}
    const isCut = cut !== undefined && requests.some(({type}) => type === "batch") && body.includes(cut.text)
    const fault = isCut ? cut?.when : undefined
    if (fault !== undefined) cut = undefined
    if (fault === "held") held = requests
    if (fault === "before" || fault === "held") return request.socket.destroy()
    if (baton !== null && expired.has(baton))
      return send(400, {message: "The stream has expired due to inactivity", code: "STREAM_EXPIRED"})
    if (/BEGIN IMMEDIATE/i.test(body)) await waitToWrite(baton)
    try {
      const answered = run(requests, baton)
      if (fault === "after") return request.socket.destroy()
      return send(200, answered)
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      return response.writeHead(400, {"content-type": "text/plain"}).end(error.message)
    }
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
    for (const {stream, expiry} of open.values()) {
      clearTimeout(expiry)
      idle.push(stream.close())
    }
    for (const connection of idle) connection.close()
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
    drop: (text, count = Number.POSITIVE_INFINITY) => {
      dropped = text === undefined ? undefined : {text, count}
    },
    setBusy: busy => {
      isBusy = busy
    },
    requests: () => requestCount,
    close,
  }
}

/** Replaces the functions that an older SQLite has differently. */
const makeOld = (connection: DatabaseSync): void => {
  const current = new DatabaseSync(":memory:").prepare("SELECT ?1 ->> ?2 AS value")
  connection.function("sqlite_version", () => "3.43.0")
  connection.function("->>", (json, path) => {
    const value = current.get(json ?? null, path ?? null)?.value ?? null
    return typeof value === "string" ? (value.split("\0")[0] ?? "") : value
  })
}
