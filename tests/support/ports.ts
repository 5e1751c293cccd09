import {createServer} from "node:net"
import {onTestFinished} from "vitest"

/** Listens on a free port of the loopback address, saying nothing, until it is let go or the test has ended. */
export const holdPort = async (): Promise<{port: number; release: () => Promise<void>}> => {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve))
  const release = () => new Promise<void>(resolve => server.close(() => resolve()))
  onTestFinished(release)
  const address = server.address()
  return {port: typeof address === "object" && address !== null ? address.port : 0, release}
}

/** A port on which nothing listens now. */
export const freePort = async (): Promise<number> => {
  const {port, release} = await holdPort()
  await release()
  return port
}
