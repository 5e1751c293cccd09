import {createServer, type IncomingHttpHeaders} from "node:http"
import type {AlertMessage} from "../../../shared/alerts/api.ts"
import {listen} from "../machine/listen.ts"
import {bodyOf} from "../machine/stand-in-server.ts"

export interface ReceivedAlert {
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly body: AlertMessage
}

/** A test's HTTP server: `/<name>/…` receives alerts, `/beat/…` a heartbeat, and `/redirect/…` redirects. */
export interface AlertReceiver {
  readonly url: string
  /** The alerts answered with 200, by the first part of the path. */
  taken(name: string): readonly ReceivedAlert[]
  /** The alerts that never got an answer. */
  hung(name: string): readonly ReceivedAlert[]
  asked(path: string): number
  /** Leaves posts without an answer, or answers them again. */
  hang(isHanging: boolean): void
  failNext(name: string, status: number): void
}

export const startAlertReceiver = async (): Promise<AlertReceiver> => {
  const taken = new Map<string, ReceivedAlert[]>()
  const hung = new Map<string, ReceivedAlert[]>()
  const asked = new Map<string, number>()
  const failing = new Map<string, number>()
  let isHanging = false
  const put = (map: Map<string, ReceivedAlert[]>, name: string, received: ReceivedAlert) =>
    void map.set(name, [...(map.get(name) ?? []), received])
  const server = createServer(async (request, response) => {
    const path = request.url ?? ""
    const name = path.split("/")[1] ?? ""
    asked.set(path, (asked.get(path) ?? 0) + 1)
    response.on("error", () => {})
    const sent = String(await bodyOf(request))
    if (name === "redirect") return void response.writeHead(302, {location: "/elsewhere"}).end()
    if (request.method !== "POST") return void response.writeHead(200).end("ok")
    const received = {headers: request.headers, text: sent, body: JSON.parse(sent) as AlertMessage}
    const status = failing.get(name)
    failing.delete(name)
    if (isHanging) return put(hung, name, received)
    if (status === undefined) put(taken, name, received)
    response.writeHead(status ?? 200).end()
  })
  const port = await listen(server)
  return {
    url: `http://127.0.0.1:${port}`,
    taken: name => taken.get(name) ?? [],
    hung: name => hung.get(name) ?? [],
    asked: path => asked.get(path) ?? 0,
    hang: hanging => {
      isHanging = hanging
    },
    failNext: (name, status) => void failing.set(name, status),
  }
}
