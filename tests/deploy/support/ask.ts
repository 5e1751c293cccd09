import type {IncomingHttpHeaders} from "node:http"
import {request} from "node:https"

export interface Asked {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** The loopback address of the client: each address is another client. */
  readonly from?: string
  readonly body?: Uint8Array
  /** Sends the body in pieces without a Content-Length. */
  readonly isChunked?: boolean
}

export interface Answered {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** Headers of a request for a WebSocket. */
export const upgradeHeaders = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
} as const

/** Sends one HTTP/1.1 request on its own connection. It also accepts an answer before the body is sent. */
export const ask = (
  url: string,
  {method = "GET", headers = {}, from, body, isChunked}: Asked = {},
): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const length = body === undefined || isChunked ? {} : {"content-length": String(body.length)}
    const asked = request(url, {
      method,
      headers: {...headers, ...length},
      agent: false,
      ...(from === undefined ? {} : {localAddress: from}),
    })
    let isAnswered = false
    asked.on("response", answer => {
      isAnswered = true
      let text = ""
      answer.setEncoding("utf8").on("data", chunk => {
        text += chunk
      })
      const finish = () => resolve({status: answer.statusCode ?? 0, headers: answer.headers, text})
      answer.on("end", finish)
      answer.on("error", finish)
    })
    asked.on("error", error => {
      if (!isAnswered) reject(error)
    })
    for (let at = 0; body !== undefined && at < body.length; at += 10_000) asked.write(body.subarray(at, at + 10_000))
    asked.end()
  })
