import {connect, createServer, type Socket} from "node:net"
import {whenOver} from "../host/shared.ts"

/** A way to a server on which connections can be cut, go silent, or lead to another server, while the client keeps the address. */
export interface Cable {
  readonly port: number
  /** Ends every connection in the middle of things, and refuses new ones. */
  cut(): void
  /** Every connection stays, and nothing comes through it any more; with `later`, nor through any that is made from now on. */
  stall(which?: "later"): void
  /** What clients send still arrives, and no answer comes back through the connections of now. */
  mute(): void
  /** Writes to every client what the server has not said. */
  inject(text: string): void
  /** Connections to the server that are open now. */
  readonly open: number
  /** Connections that were made since then, and hear nothing. */
  readonly silent: number
  /** Passes connections on to this port from now on. */
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
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve))
  whenOver(() => {
    cut()
    server.close()
  })
  const address = server.address()
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
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
