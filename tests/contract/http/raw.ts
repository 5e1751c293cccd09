import {connect} from "node:net"
import type {TestHost} from "../../support/host/host.ts"

/** Sends bytes as they are. Resolves to all received text, or to the text up to a match of `last`. */
export const raw = (host: Pick<TestHost, "url">, text: string, last?: RegExp): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(host.url).port), "127.0.0.1", () => socket.write(text))
    let answer = ""
    socket.setTimeout(60_000, () => socket.destroy())
    socket.on("data", chunk => {
      answer += chunk
      if (last?.test(answer)) socket.destroy()
    })
    socket.on("error", reject)
    socket.on("close", () => resolve(answer))
  })
