import type {Hooks} from "crossws"

/** A server for requests and WebSockets on its own port. Resolves to its address, once it serves. */
export const serveSockets = async (
  defer: (undo: () => unknown) => void,
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
