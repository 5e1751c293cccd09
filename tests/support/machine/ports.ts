import {createServer, type Server} from "node:net"
import {whenOver} from "../host/shared.ts"

/**
 * Ports that the system gives to nobody by itself, as it does above them: whoever is to listen at one later finds it free.
 * Workers have some of their own each; where in them a process begins is by chance, for others on this machine.
 */
const own = {from: 20_000, each: 700, workers: 16} as const
const worker = Number(process.env.VITEST_POOL_ID ?? 0) % own.workers
let turn = Math.floor(Math.random() * own.each)

const listen = (server: Server, port: number): Promise<boolean> =>
  new Promise(resolve => {
    const refuse = () => resolve(false)
    server.once("error", refuse)
    server.listen(port, "127.0.0.1", () => {
      server.off("error", refuse)
      resolve(true)
    })
  })

/** Listens on a free port of the loopback address, saying nothing, until it is let go or the test has ended. */
export const holdPort = async (): Promise<{port: number; release: () => Promise<void>}> => {
  for (let tries = 0; tries < own.each; tries++) {
    const port = own.from + worker * own.each + (turn++ % own.each)
    const server = createServer()
    if (!(await listen(server, port))) continue
    const release = () => new Promise<void>(resolve => server.close(() => resolve()))
    whenOver(release)
    return {port, release}
  }
  throw new Error(`no port from ${own.from} on is free`)
}

/** A port on which nothing listens now. */
export const freePort = async (): Promise<number> => {
  const {port, release} = await holdPort()
  await release()
  return port
}
