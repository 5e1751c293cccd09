import {EventEmitter} from "node:events"
import type {Dialed} from "./dial.ts"

/** The longest stanza, in bytes, and its most tags. Servers usually accept 256 or 512 KiB. */
const longestStanza = {bytes: 1024 * 1024, tags: 40_000} as const

/**
 * Gives the library an existing connection as its socket. It passes on text, because the library would break a
 * character whose bytes arrive in two chunks. If the library throws on the server's input, the connection ends.
 */
export class LibrarySocket extends EventEmitter {
  readonly secure: boolean
  readonly #socket: Dialed["socket"]
  /** What arrived since the last stanza. */
  #open = {bytes: 0, tags: 0}

  constructor({socket, isSecure}: Dialed) {
    super()
    this.#socket = socket
    this.secure = isSecure
    const decoder = new TextDecoder()
    socket.on("data", (data: Buffer) => {
      this.#open.bytes += data.length
      for (let at = data.indexOf("<"); at !== -1; at = data.indexOf("<", at + 1)) this.#open.tags++
      try {
        if (this.#open.bytes > longestStanza.bytes || this.#open.tags > longestStanza.tags)
          throw new Error(`a stanza has more than ${longestStanza.bytes} bytes or ${longestStanza.tags} tags`)
        this.emit("data", decoder.decode(data, {stream: true}))
      } catch (error) {
        socket.destroy(error instanceof Error ? error : new Error(String(error)))
      }
    })
    socket.on("error", error => this.emit("error", error))
    socket.on("close", hadError => this.emit("close", hadError))
  }

  /** Call it for each complete stanza. */
  heard(): void {
    this.#open = {bytes: 0, tags: 0}
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
