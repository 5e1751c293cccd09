import {connect, createServer, type Socket} from "node:net"
import {whenOver} from "../host/shared.ts"
import {listen} from "./listen.ts"

/** A relay to a server. A test can cut, silence or redirect its connections; the client keeps the address. */
export interface Cable {
  readonly port: number
  /** Ends all connections abruptly, and refuses new ones. */
  cut(): void
  /** Keeps all connections open but passes nothing on; with `later`, this includes future connections. */
  stall(which?: "later"): void
  /** Still passes on what clients send, but no answers, on the current connections. */
  mute(): void
  /** Writes a text of the test to every client. */
  inject(text: string): void
  /** Open connections to the server. */
  readonly open: number
  /** Connections made since the stall, which receive nothing. */
  readonly silent: number
  /** Passes new connections on to this port. */
  join(port: number): void
}

export const layCable = async (target: number): Promise<Cable> => {
  const sockets = new Set<Socket>()
  const nears = new Set<Socket>()
  const fars = new Set<Socket>()
  let port: number | undefined = target
  let isSilent = false
  let silent = 0
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket))
    socket.on("error", () => {})
    return socket
  }
  const server = createServer(near => {
    keep(near)
    if (port === undefined) return void near.destroy()
    if (isSilent) {
      silent++
      return void near.pause()
    }
    const far = keep(connect(port, "127.0.0.1"))
    near.pipe(far).pipe(near)
    nears.add(near)
    fars.add(far)
    near.on("close", () => {
      nears.delete(near)
      far.destroy()
    })
    far.on("close", () => {
      fars.delete(far)
      near.destroy()
    })
  })
  const cut = () => {
    port = undefined
    for (const socket of sockets) socket.destroy()
  }
  const stall = (which?: "later") => {
    isSilent = which === "later"
    for (const socket of sockets) socket.unpipe().pause()
  }
  const mute = () => {
    for (const far of fars) far.unpipe().resume()
  }
  const ownPort = await listen(server)
  whenOver(cut)
  return {
    port: ownPort,
    cut,
    stall,
    mute,
    inject: text => {
      for (const near of nears) near.write(text)
    },
    get open() {
      return fars.size
    },
    get silent() {
      return silent
    },
    join: to => {
      port = to
    },
  }
}
