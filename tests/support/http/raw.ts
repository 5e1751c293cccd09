import {connect, type Socket} from "node:net"
import {onTestFinished} from "vitest"

interface Server {
  readonly url: string
}

/** A request without a body, after whose answer the connection closes. */
export const closing = (line: string, ...headers: readonly string[]): string =>
  [`${line} HTTP/1.1`, "Host: a", ...headers, "Connection: close", "\r\n"].join("\r\n")

/** Sends bytes as they are. Resolves to all received text, or to the text up to a match of `last`. */
export const raw = ({url}: Server, text: string, last?: RegExp): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1", () => socket.write(text))
    let answer = ""
    socket.setTimeout(60_000, () => socket.destroy())
    socket.on("data", chunk => {
      answer += chunk
      if (last?.test(answer)) socket.destroy()
    })
    socket.on("error", reject)
    socket.on("close", () => resolve(answer))
  })

export interface RawClient {
  readonly socket: Socket
  answer: string
  isClosed: boolean
}

/** Opens a connection until the test ends, and sends this on it. */
export const openRaw = ({url}: Server, text: string | Buffer = ""): Promise<RawClient> =>
  new Promise(resolve => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1", () => {
      socket.write(text)
      resolve(client)
    })
    const client: RawClient = {socket, answer: "", isClosed: false}
    onTestFinished(() => void socket.destroy())
    socket.on("data", chunk => {
      client.answer += chunk
    })
    socket.on("error", () => {})
    socket.on("close", () => {
      client.isClosed = true
    })
  })
