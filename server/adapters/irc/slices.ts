import {setImmediate as turn} from "node:timers/promises"
import type {NetTransport} from "irc-framework/src/transports/net.js"

/** The bytes, some sixty lines, that are handled before other work of the Host runs. */
const sliceSize = 4096

/** In bytes. A line has at most 8,191 bytes of tags and 512 others (IRCv3, "message-tags"). */
const longestLine = 65_536

/**
 * Returns the library's transport, which handles input in slices. The original handles all received lines in one call,
 * so a flood of lines would block the Host. A line without an end closes the connection.
 */
export const createSlicedTransport = async (): Promise<typeof NetTransport> => {
  const {default: Transport} = await import("irc-framework/src/transports/net.js")
  return class SlicedTransport extends Transport {
    /** Received data that is not handled yet; undefined if there is none. */
    #slices: Buffer[] | undefined
    #isClosed = false
    /** The bytes of the last line so far. */
    #line = 0

    override onSocketData(data: Buffer): void {
      const end = data.lastIndexOf(10)
      this.#line = end === -1 ? this.#line + data.length : data.length - end - 1
      if (this.#line > longestLine) return void this.socket?.destroy(new Error("a line does not end"))
      const slices = slicesOf(data)
      if (this.#slices !== undefined) this.#slices.push(...slices)
      else if (slices.length === 1) super.onSocketData(data)
      else void this.#handle(slices)
    }

    /** The server's last lines must be handled before the end of the connection. */
    override onSocketClose(): void {
      if (this.#slices === undefined) super.onSocketClose()
      else this.#isClosed = true
    }

    /** The socket is paused during this time, which slows the server down instead of filling memory. */
    async #handle(slices: Buffer[]): Promise<void> {
      const {socket} = this
      this.#slices = slices
      socket?.pause()
      for (let slice = slices.shift(); slice !== undefined && this.socket === socket; slice = slices.shift()) {
        super.onSocketData(slice)
        await turn()
      }
      this.#slices = undefined
      if (this.socket !== socket) return
      if (this.#isClosed) super.onSocketClose()
      else socket?.resume()
    }
  }
}

const slicesOf = (data: Buffer): Buffer[] => {
  const slices: Buffer[] = []
  for (let from = 0; from < data.length; from += sliceSize) slices.push(data.subarray(from, from + sliceSize))
  return slices
}
