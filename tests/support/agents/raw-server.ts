import {createServer, type IncomingMessage, type ServerResponse} from "node:http"
import {text} from "node:stream/consumers"
import {listen} from "../machine/listen.ts"

export interface RawRequest {
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

export interface RawServer {
  readonly url: string
  readonly requests: readonly RawRequest[]
  /** The number of connections that the client closed before the response was complete. */
  closed(): number
}

/** A test's own server, for responses that no model server should send; it listens until the test ends. */
export const startRawServer = async (
  answer: (response: ServerResponse, request: RawRequest) => unknown,
): Promise<RawServer> => {
  const requests: RawRequest[] = []
  let closed = 0
  const server = createServer(async (incoming, response) => {
    response.on("close", () => {
      if (!response.writableFinished) closed++
    })
    const request = {path: incoming.url ?? "", headers: incoming.headers, body: await text(incoming)}
    requests.push(request)
    await answer(response, request)
  })
  const port = await listen(server)
  return {url: `http://127.0.0.1:${port}`, requests, closed: () => closed}
}

export const events = (...values: readonly unknown[]): string =>
  values.map(value => `data: ${JSON.stringify(value)}\n\n`).join("")

export const eventStream = {"content-type": "text/event-stream"}
