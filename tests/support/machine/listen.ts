import type {Server} from "node:net"
import {whenOver} from "../host/shared.ts"

/** Makes a server listen on a free loopback port, until the test ends. Resolves to the port. */
export const listen = async (server: Server & {closeAllConnections?: () => void}): Promise<number> => {
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve))
  whenOver(() => {
    server.closeAllConnections?.()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the server has no port")
  return address.port
}
