import {createServer, type Server} from "node:net"
import {whenOver} from "../host/shared.ts"

/**
 * Ports below the range that the system assigns, so that a port stays free until its test listens. Each worker has its
 * own range; a process starts at a random port of it, because of other processes on this machine.
 */
const own = {from: 20_000, each: 700, workers: 16} as const
const {VITEST_POOL_ID = 0, SVC_TEST_FIRST_WORKER = 0} = process.env
const worker = (Number(VITEST_POOL_ID) + Number(SVC_TEST_FIRST_WORKER)) % own.workers
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

/** Listens silently on a free loopback port, until it is released or the test ends. */
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

export const freePort = async (): Promise<number> => {
  const {port, release} = await holdPort()
  await release()
  return port
}
