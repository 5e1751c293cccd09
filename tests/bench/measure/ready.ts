import {connect, createServer} from "node:net"
import {setTimeout as sleep} from "node:timers/promises"
import type {Running} from "./process.ts"

export const freePort = (): Promise<number> =>
  new Promise((done, fail) => {
    const server = createServer()
    server.once("error", fail)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => done(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

/** The polling interval, in milliseconds: short enough for the figure, too long to keep the Host busy. */
const interval = 4

/** The longest wait for a server, in milliseconds. */
const patience = 20_000

/** Polls until the answer is 200; resolves to that answer's time. Fails with the server's output if it ends. */
export const waitFor200 = async (port: number, path: string, server: Running): Promise<number> => {
  let ended = false
  void server.ended.then(() => {
    ended = true
  })
  const deadline = performance.now() + patience
  while (performance.now() < deadline && !ended) {
    if ((await statusOf(port, path)) === 200) return performance.now()
    await sleep(interval)
  }
  throw new Error(`no answer from ${path}: ${server.output()}`)
}

const statusOf = (port: number, path: string): Promise<number> =>
  new Promise(done => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`)
    })
    socket.once("data", chunk => {
      socket.destroy()
      done(Number(chunk.toString("latin1", 9, 12)))
    })
    socket.once("error", () => done(0))
    socket.once("close", () => done(0))
  })
