import {loadRuntime} from "../../../../server/runtime/engines/load-runtime.ts"
import type {Fetch, SocketHooks} from "../../../../server/runtime/runtime.ts"

/** Serves HTTP and WebSockets on its own port, on Bun and on Node; resolves to the address. */
export const serve = async (
  {fetch, socket}: {readonly fetch: Fetch; readonly socket: Omit<SocketHooks, "upgrade">},
  defer: (undo: () => unknown) => void,
): Promise<string> => {
  const listener = await (await loadRuntime()).serve({
    host: "127.0.0.1",
    port: 0,
    fetch,
    fixed: {},
    connections: 1000,
    refuse: ({status, message}) => ({status, headers: {}, body: message}),
    socket: {...socket, upgrade: () => ({context: {}})},
  })
  defer(() => listener.close(true))
  return `http://127.0.0.1:${listener.port}`
}
