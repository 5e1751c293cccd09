import type {Server} from "node:net"
import {whenOver} from "../host/shared.ts"

/** Makes a server listen on the loopback, on a free port by default, until the test ends. Resolves to the port. */
export const listen = async (
  server: Server & {closeAllConnections?: () => void},
  port = 0,
  host = "127.0.0.1",
): Promise<number> => {
  await new Promise<void>(resolve => server.listen(port, host, resolve))
  whenOver(() => {
    server.closeAllConnections?.()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the server has no port")
  return address.port
}
