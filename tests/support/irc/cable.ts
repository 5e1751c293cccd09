import {connect, createServer, type Socket} from "node:net"
import {onTestFinished} from "vitest"

/** A connection to a Host that can be cut, and led to another Host, while its client keeps the address. */
export interface Cable {
  readonly port: number
  /** Ends every connection in the middle of things, and refuses new ones. */
  cut(): void
  /** Every connection stays, and nothing comes through it any more. */
  stall(): void
  /** Passes connections on to this port from now on. */
  join(port: number): void
}

export const layCable = async (target: number): Promise<Cable> => {
  const sockets = new Set<Socket>()
  let port: number | undefined = target
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket))
    socket.on("error", () => {})
    return socket
  }
  const server = createServer(near => {
    keep(near)
    if (port === undefined) return void near.destroy()
    const far = keep(connect(port, "127.0.0.1"))
    near.pipe(far).pipe(near)
    near.on("close", () => far.destroy())
    far.on("close", () => near.destroy())
  })
  const cut = () => {
    port = undefined
    for (const socket of sockets) socket.destroy()
  }
  const stall = () => {
    for (const socket of sockets) socket.unpipe().pause()
  }
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    cut()
    server.close()
  })
  const address = server.address()
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    cut,
    stall,
    join: to => {
      port = to
    },
  }
}
