import type {WebSocket} from "ws"
import {withDeadline} from "../../../shared/sdk/adapter/deadline.ts"
import type {PlatformSocket, SocketHandler, SocketInit, SocketRefused} from "../../../shared/sdk/adapter/socket.ts"

/** The largest message when no limit is given, in bytes. */
const usualMost = 8 * 1024 * 1024

/** In milliseconds. */
const patience = {
  /** For the platform to accept the connection. */
  open: 15_000,
  /** For its answer to a close. */
  close: 1000,
} as const

/** The connection broke without a code (RFC 6455, section 7.1.5). */
const broken = 1006

/** Bun has its own `ws`; crossws contains the package for Node, and takes it if there are options. */
const loadClient = async (): Promise<typeof WebSocket> => {
  const loaded: unknown =
    process.versions.bun === undefined ? (await import("crossws/websocket")).default : (await import("ws")).WebSocket
  return loaded as typeof WebSocket
}

/** See `Endpoint.openSocket`. */
export const openSocket = async (
  url: string,
  {headers = {}, most = usualMost, signal}: SocketInit,
  handler: SocketHandler,
): Promise<PlatformSocket> => {
  const Client = await loadClient()
  signal.throwIfAborted()
  // A compressed message would be read before its size is known.
  const connection = new Client(url, [], {headers, maxPayload: most, perMessageDeflate: false})
  const {socket, opened} = handle(connection, handler, most)
  const cut = () => connection.terminate()
  signal.addEventListener("abort", cut, {once: true})
  socket.signal.addEventListener("abort", () => signal.removeEventListener("abort", cut), {once: true})
  const abort = (limit: AbortSignal) =>
    new Promise<never>((_, reject) => limit.addEventListener("abort", () => reject(limit.reason), {once: true}))
  try {
    await withDeadline(patience.open, limit => Promise.race([opened, abort(limit)]), signal)
  } catch (error) {
    cut()
    throw error
  }
  return socket
}

const handle = (connection: WebSocket, handler: SocketHandler, most: number) => {
  const ended = new AbortController()
  const opened = Promise.withResolvers<void>()
  let isOpen = false
  let why: {readonly code: number; readonly reason: string} | undefined
  const fail = (code: number, error: Error) => {
    why ??= {code, reason: error.message}
    opened.reject(error)
    connection.terminate()
  }
  const socket: PlatformSocket = {
    signal: ended.signal,
    send: data =>
      new Promise((resolve, reject) => {
        if (connection.readyState !== 1) return reject(new Error("the connection is closed"))
        connection.send(data, error => (error ? reject(error) : resolve()))
      }),
    close: (code = 1000, reason) => {
      connection.close(code, reason)
      const late = setTimeout(() => connection.terminate(), patience.close)
      ended.signal.addEventListener("abort", () => clearTimeout(late), {once: true})
    },
  }
  connection.on("unexpected-response", (_, {statusCode = 0}) => {
    const refused: SocketRefused = Object.assign(new Error(`the server answered ${statusCode}`), {status: statusCode})
    fail(broken, refused)
  })
  connection.on("open", () => {
    isOpen = true
    handler.open?.(socket)
    opened.resolve()
  })
  connection.on("message", async (data: Buffer, isBinary) => {
    if (why !== undefined) return
    try {
      await handler.message(isBinary ? new Uint8Array(data) : new TextDecoder().decode(data), socket)
    } catch {
      socket.close(1011)
    }
  })
  connection.on("error", (error: NodeJS.ErrnoException) => {
    const isLarge = error.code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH"
    fail(isLarge ? 1009 : broken, isLarge ? new Error(`a message is larger than ${most} bytes`) : error)
  })
  connection.on("close", (code, reason) => {
    if (ended.signal.aborted) return
    ended.abort()
    opened.reject(new Error(`the server closed the connection (${code})`))
    if (isOpen) handler.close?.(why ?? {code, reason: new TextDecoder().decode(reason)})
  })
  return {socket, opened: opened.promise}
}
