import {setImmediate as turn} from "node:timers/promises"
import type {NetTransport} from "irc-framework/src/transports/net.js"

/** So many bytes, some sixty lines, are handled before the Host's other work gets its turn. */
const sliceSize = 4096

/**
 * The library's transport, cut into slices. By itself it handles all the lines that have come in one call, and a flood of
 * them holds up whatever else the Host does.
 */
export const createSlicedTransport = async (): Promise<typeof NetTransport> => {
  const {default: Transport} = await import("irc-framework/src/transports/net.js")
  return class SlicedTransport extends Transport {
    /** What has come and is not handled yet; undefined while there is nothing. */
    #slices: Buffer[] | undefined
    #isClosed = false

    override onSocketData(data: Buffer): void {
      const slices = slicesOf(data)
      if (this.#slices !== undefined) this.#slices.push(...slices)
      else if (slices.length === 1) super.onSocketData(data)
      else void this.#handle(slices)
    }

    /** The server's last lines come before the end of the connection. */
    override onSocketClose(): void {
      if (this.#slices === undefined) super.onSocketClose()
      else this.#isClosed = true
    }

    /** The socket waits meanwhile, so that the server is slowed down and not kept in memory. */
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
