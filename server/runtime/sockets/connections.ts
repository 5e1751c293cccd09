import type {IncomingMessage, RequestListener, Server, ServerResponse} from "node:http"
import type {Socket} from "node:net"

/** How many requests may wait for their turn on all connections together. One more ends its connection. */
const mostWaiting = 8192

/** How long a refused connection may take to read the refusal, in milliseconds. */
const refusalTime = 1000

/** How many refused connections may read at once. Further ones are cut without an answer. */
const mostRefused = 1000

interface Connection {
  isAnswering: boolean
  /** Start the answers to the requests behind the current one. */
  readonly waiting: (() => void)[]
  holdsBack: boolean
}

/**
 * The connections of a Node server, at most `most`. As on Bun, each connection answers one request at a time. Later
 * requests wait in order, and the connection reads nothing more meanwhile, so that a client that does not read costs
 * one answer. A connection that closes drops its waiting requests.
 */
export class Connections {
  readonly #most: number
  readonly #refusal: () => string
  readonly #open = new Map<Socket, Connection>()
  /** The longest idle first. */
  readonly #idle = new Set<Socket>()
  #waiting = 0
  #refused = 0

  /** `refusal` returns the complete answer to a connection for which there is no room. */
  constructor(http: Server, most: number, refusal: () => string) {
    this.#most = most
    this.#refusal = refusal
    http.on("connection", socket => this.#admit(socket))
  }

  /**
   * Answers once the client has received the earlier answers of its connection. Does nothing if the connection ends
   * before. `answerNow` returns whether it gave a small, complete answer; otherwise `answer` answers.
   */
  answerInTurn(
    request: IncomingMessage,
    response: ServerResponse,
    answerNow: (request: IncomingMessage, response: ServerResponse) => boolean,
    answer: RequestListener,
  ): void {
    const {socket} = request
    const connection = this.#open.get(socket)
    if (connection === undefined) return
    if (connection.isAnswering)
      this.#wait(socket, connection, response, () => answerNow(request, response) || answer(request, response))
    else if (answerNow(request, response)) {
      this.#idle.delete(socket)
      this.#idle.add(socket)
    } else this.#begin(socket, connection, response, () => answer(request, response))
  }

  /** Marks a connection that changes its protocol. It still counts, and is no longer idle. */
  leave(socket: Socket): void {
    this.#idle.delete(socket)
  }

  #admit(socket: Socket): void {
    if (this.#open.size >= this.#most && !this.#closeLongestIdle()) {
      this.#refuse(socket)
      return
    }
    this.#open.set(socket, {isAnswering: false, waiting: [], holdsBack: false})
    this.#idle.add(socket)
    socket.once("close", () => this.#forget(socket))
  }

  #closeLongestIdle(): boolean {
    const [longest] = this.#idle
    if (longest === undefined) return false
    this.#forget(longest)
    longest.destroy()
    return true
  }

  #refuse(socket: Socket): void {
    if (this.#refused >= mostRefused) {
      socket.destroy()
      return
    }
    this.#refused++
    const cut = setTimeout(() => socket.destroy(), refusalTime)
    socket.once("close", () => {
      clearTimeout(cut)
      this.#refused--
    })
    socket.end(this.#refusal())
  }

  #forget(socket: Socket): void {
    const connection = this.#open.get(socket)
    if (connection === undefined) return
    this.#open.delete(socket)
    this.#idle.delete(socket)
    this.#waiting -= connection.waiting.length
    connection.waiting.length = 0
  }

  #begin(socket: Socket, connection: Connection, response: ServerResponse, answer: () => void): void {
    connection.isAnswering = true
    this.#idle.delete(socket)
    response.once("close", () => this.#next(socket, connection))
    answer()
  }

  #wait(socket: Socket, connection: Connection, response: ServerResponse, answer: () => void): void {
    if (this.#waiting >= mostWaiting) {
      socket.destroy()
      return
    }
    this.#waiting++
    connection.waiting.push(() => this.#begin(socket, connection, response, answer))
    this.#holdBack(socket, connection)
    socket.pause()
  }

  /** Node resumes reading when it has answered. This pauses the connection again while requests wait. */
  #holdBack(socket: Socket, connection: Connection): void {
    if (connection.holdsBack) return
    connection.holdsBack = true
    dropWithoutStacks(socket)
    socket.on("resume", () => {
      if (connection.waiting.length > 0) socket.pause()
    })
  }

  #next(socket: Socket, connection: Connection): void {
    if (socket.destroyed || !this.#open.has(socket)) return
    const next = connection.waiting.shift()
    if (next === undefined) {
      connection.isAnswering = false
      this.#idle.add(socket)
      return
    }
    this.#waiting--
    if (connection.waiting.length === 0) socket.resume()
    // Gives other connections a turn between two requests of a connection that sends many at once.
    setImmediate(() => {
      if (!socket.destroyed) next()
    })
  }
}

/**
 * When a connection closes, Node creates an error for each unanswered request. Their stacks, which nobody reads, took a
 * quarter of the time of a Host whose clients left thousands of requests behind.
 */
const dropWithoutStacks = (socket: Socket): void => {
  const limit = Error.stackTraceLimit
  socket.prependOnceListener("close", () => {
    Error.stackTraceLimit = 0
    process.nextTick(() => {
      Error.stackTraceLimit = limit
    })
  })
}
