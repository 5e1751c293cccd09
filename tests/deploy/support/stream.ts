import type {IncomingHttpHeaders} from "node:http"
import {connect} from "node:http2"
import {get} from "node:https"
import type {Readable} from "node:stream"
import {createParser} from "eventsource-parser"
import {onTestFinished} from "vitest"

export interface Arrived {
  readonly id: string | undefined
  readonly event: string | undefined
  readonly data: {readonly at?: string; readonly recovered?: boolean; readonly head?: string}
  /** Milliseconds of the wall clock, which the Host uses too. */
  readonly arrivedAt: number
}

export interface GatewayStream {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly arrived: readonly Arrived[]
  readonly beats: () => number
  close(): void
}

export interface StreamRequest {
  readonly token: string
  readonly version: 1 | 2
  readonly cursor?: string
}

/** Opens the stream over HTTP/1.1 or HTTP/2 with the token, and reads it until the test ends. */
export const openStream = async (url: string, {token, version, cursor}: StreamRequest): Promise<GatewayStream> => {
  const headers = {authorization: `Bearer ${token}`, ...(cursor === undefined ? {} : {"last-event-id": cursor})}
  const opened = await (version === 1 ? openHttp1(url, headers) : openHttp2(url, headers))
  onTestFinished(opened.close)
  const arrived: Arrived[] = []
  let beats = 0
  const parser = createParser({
    onEvent: ({id, event, data}) => void arrived.push({id, event, data: JSON.parse(data), arrivedAt: Date.now()}),
    onComment: () => void beats++,
  })
  opened.body.setEncoding("utf8").on("data", text => parser.feed(text))
  opened.body.on("error", () => {})
  return {status: opened.status, headers: opened.headers, arrived, beats: () => beats, close: opened.close}
}

interface Opened {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Readable
  readonly close: () => void
}

const openHttp1 = (url: string, headers: Record<string, string>): Promise<Opened> =>
  new Promise((resolve, reject) => {
    const asked = get(`${url}/api/events`, {headers, agent: false}, body =>
      resolve({status: body.statusCode ?? 0, headers: body.headers, body, close: () => void asked.destroy()}),
    )
    asked.on("error", reject)
  })

const openHttp2 = (url: string, headers: Record<string, string>): Promise<Opened> =>
  new Promise((resolve, reject) => {
    const session = connect(url)
    session.on("error", reject)
    const body = session.request({":path": "/api/events", ...headers})
    body.on("error", reject)
    body.on("response", answer =>
      resolve({status: answer[":status"] ?? 0, headers: answer, body, close: () => session.destroy()}),
    )
  })
