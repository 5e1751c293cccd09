import type {Server} from "node:net"
import {listen as listenUntil} from "../../../server/testing/platforms/fake/serve.ts"
import {whenOver} from "../host/shared.ts"

/** Makes a server listen on the loopback, on a free port by default, until the test ends. Resolves to the port. */
export const listen = (
  server: Server & {closeAllConnections?: () => void},
  port?: number,
  host?: string,
): Promise<number> => listenUntil(server, whenOver, port, host)
