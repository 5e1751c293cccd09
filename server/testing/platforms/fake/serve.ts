import type {Server} from "node:net"
import type {Hooks} from "crossws"

/** Registers what ends a protocol fake. */
export type Defer = (undo: () => unknown) => void

/** Makes a server listen on a free port of the loopback, or on the given one. Resolves to the port. */
export const listen = async (
  server: Server & {closeAllConnections?: () => void},
  defer: Defer,
  port = 0,
  host = "127.0.0.1",
): Promise<number> => {
  await new Promise<void>(resolve => server.listen(port, host, resolve))
  defer(() => {
    server.closeAllConnections?.()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the server has no port")
  return address.port
}

/** A server for requests and WebSockets on its own port. Resolves to its address, once it serves. */
export const serveSockets = async (
  defer: Defer,
  fetch: (request: Request) => Response | Promise<Response>,
  websocket: Partial<Hooks>,
): Promise<string> => {
  // On Bun, Vitest also finds Node's.
  const {serve} =
    process.versions.bun === undefined ? await import("crossws/server/node") : await import("crossws/server/bun")
  const server = serve({port: 0, hostname: "127.0.0.1", silent: true, fetch, websocket})
  defer(() => server.close(true))
  await server.ready()
  return (server.url ?? "").replace(/\/$/, "")
}
