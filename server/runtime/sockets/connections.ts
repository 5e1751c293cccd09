import type {IncomingMessage, Server, ServerResponse} from "node:http"
import type {Socket} from "node:net"

/** Requests that wait for their turn on all connections together; one more ends its connection. */
const mostWaiting = 8192

/** So long a refused connection has to read why, in milliseconds. */
const refusalTime = 1000

/** So many refused connections may be reading at once; further ones are cut without an answer. */
const mostRefused = 1000

interface Connection {
  isAnswering: boolean
  /** What starts the answers to the requests behind the one that is being answered. */
  readonly waiting: (() => void)[]
  holdsBack: boolean
}

/**
 * The connections of a Node server, at most `most`. Each has one request answered at a time, as on Bun: those behind it wait in order
 * and nothing more is read meanwhile, so a client that does not read costs one answer. What waits is dropped with its connection.
 */
export class Connections {
  readonly #most: number
  readonly #refusal: () => string
  readonly #open = new Map<Socket, Connection>()
  /** The longest idle first. */
  readonly #idle = new Set<Socket>()
  #waiting = 0
  #refused = 0

  /** `refusal` is the whole answer to a connection for which there is no room. */
  constructor(http: Server, most: number, refusal: () => string) {
    this.#most = most
    this.#refusal = refusal
    http.on("connection", socket => this.#admit(socket))
  }

  /** Answers at once where nothing of the connection waits: for an answer that is whole and small. */
  answerNow(request: IncomingMessage, response: ServerResponse, answer: () => void): void {
    const {socket} = request
    const connection = this.#open.get(socket)
    if (connection === undefined) return
    if (connection.isAnswering) this.#wait(socket, connection, response, answer)
    else {
      this.#idle.delete(socket)
      this.#idle.add(socket)
      answer()
    }
  }

  /** Answers when the answers before it on its connection have been taken; never, if the connection ends before that. */
  answerInTurn(request: IncomingMessage, response: ServerResponse, answer: () => void): void {
    const {socket} = request
    const connection = this.#open.get(socket)
    if (connection === undefined) return
    if (connection.isAnswering) this.#wait(socket, connection, response, answer)
    else this.#begin(socket, connection, response, answer)
  }

  /** A connection that speaks something else from now on. It counts, and is not idle. */
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

  /** Node reads on when it has answered: once that has begun, it is stopped again. */
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
    // Other connections get their turn between two requests of one that sends many at once.
    setImmediate(() => {
      if (!socket.destroyed) next()
    })
  }
}

/**
 * When a connection closes, Node makes an error for each request that was not answered. Their stacks, which nobody reads, took a
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
