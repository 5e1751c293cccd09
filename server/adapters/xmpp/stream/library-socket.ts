import {EventEmitter} from "node:events"
import type {Dialed} from "./dial.ts"

/**
 * Gives the library an existing connection as its socket. It passes on text, because the library would break a
 * character whose bytes arrive in two chunks. If the library throws on the server's input, the connection ends.
 */
export class LibrarySocket extends EventEmitter {
  readonly secure: boolean
  readonly #socket: Dialed["socket"]

  constructor({socket, isSecure}: Dialed) {
    super()
    this.#socket = socket
    this.secure = isSecure
    const decoder = new TextDecoder()
    socket.on("data", (data: Buffer) => {
      try {
        this.emit("data", decoder.decode(data, {stream: true}))
      } catch (error) {
        socket.destroy(error instanceof Error ? error : new Error(String(error)))
      }
    })
    socket.on("error", error => this.emit("error", error))
    socket.on("close", hadError => this.emit("close", hadError))
  }

  connect(): void {
    queueMicrotask(() => this.emit("connect"))
  }

  write(text: string, done: (error?: Error | null) => void): void {
    this.#socket.write(text, done)
  }

  end(): void {
    this.#socket.end()
  }
}
