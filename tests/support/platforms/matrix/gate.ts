import {createServer, type IncomingMessage, request, type ServerResponse} from "node:http"
import {type Defer, listen} from "../../../../server/testing/platforms/fake/serve.ts"
import {whenOver} from "../../host/shared.ts"

/** A proxy to a homeserver. A test can count, cut, delay and answer requests in its place. */
export interface Gate {
  readonly url: string
  readonly waiting: number
  /** The requests so far: method and path, without a query. */
  readonly asked: readonly {
    readonly method: string
    readonly path: string
    readonly headers: IncomingMessage["headers"]
  }[]
  /** Ends all connections abruptly. */
  cut(): void
  /** Answers the next request whose method and path match `pattern`, in place of the homeserver. */
  answerNext(pattern: RegExp, status: number, body: string): void
  /** Passes on the next request that matches `pattern`, and ends its connection instead of answering. */
  swallowNext(pattern: RegExp): void
  /** Like `swallowNext`, but keeps the connection open, so that an HTTP client does not repeat the request itself. */
  withholdNext(pattern: RegExp): void
  /** Answers a sync with the last sync that had messages. */
  repeat(): void
}

export const openGate = async (target: string, defer: Defer = whenOver): Promise<Gate> => {
  const syncs = new Set<ServerResponse>()
  const asked: {method: string; path: string; headers: IncomingMessage["headers"]}[] = []
  const answers: {readonly pattern: RegExp; readonly status: number; readonly body: string}[] = []
  const lost: {readonly pattern: RegExp; readonly isEnded: boolean}[] = []
  let waiting = 0
  let last: Buffer | undefined
  let isDue = false
  const give = (response: ServerResponse, status: number, body: string | Buffer) =>
    void response.writeHead(status, {"content-type": "application/json"}).end(body)
  const server = createServer((incoming, response) => {
    const {method = "", url = ""} = incoming
    const path = url.split("?")[0] ?? ""
    asked.push({method, path, headers: incoming.headers})
    waiting++
    response.on("close", () => {
      waiting--
      syncs.delete(response)
    })
    const index = answers.findIndex(({pattern}) => pattern.test(`${method} ${path}`))
    const [given] = index < 0 ? [] : answers.splice(index, 1)
    if (given !== undefined) {
      incoming.resume().on("end", () => give(response, given.status, given.body))
      return
    }
    const isSync = path.endsWith("/sync")
    if (isSync && isDue && last !== undefined) {
      isDue = false
      return give(response, 200, last)
    }
    if (isSync) syncs.add(response)
    const found = lost.findIndex(({pattern}) => pattern.test(`${method} ${path}`))
    const [loss] = found < 0 ? [] : lost.splice(found, 1)
    const far = request(`${target}${url}`, {method, headers: incoming.headers}, answer => {
      if (loss !== undefined) return void answer.resume().on("end", () => loss.isEnded && response.destroy())
      if (!isSync) return void answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.headers))
      const pieces: Buffer[] = []
      answer.on("data", piece => pieces.push(piece))
      answer.on("end", () => {
        if (response.writableEnded || response.destroyed) return
        const body = Buffer.concat(pieces)
        if (body.includes('"m.room.message"')) last = body
        syncs.delete(response)
        give(response, answer.statusCode ?? 502, body)
      })
    })
    far.on("error", () => response.destroy())
    response.on("close", () => far.destroy())
    incoming.pipe(far)
  })
  const port = await listen(server, defer)
  return {
    url: `http://127.0.0.1:${port}`,
    get waiting() {
      return waiting
    },
    asked,
    cut: () => server.closeAllConnections(),
    answerNext: (pattern, status, body) => void answers.push({pattern, status, body}),
    swallowNext: pattern => void lost.push({pattern, isEnded: true}),
    withholdNext: pattern => void lost.push({pattern, isEnded: false}),
    repeat: () => {
      const [open] = syncs
      if (open === undefined || last === undefined) {
        isDue = true
        return
      }
      syncs.delete(open)
      give(open, 200, last)
    },
  }
}
