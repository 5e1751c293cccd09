import {createServer, type IncomingMessage, type RequestListener} from "node:http"
import {buffer} from "node:stream/consumers"
import {listen} from "./listen.ts"

export interface StandIn {
  readonly url: string
  readonly requests: readonly {readonly path: string; readonly authorization: string | undefined}[]
}

/** Reads a request's body. It does not settle if the client cuts the request off, such as a Host that was killed. */
export const bodyOf = (request: IncomingMessage): Promise<Buffer> =>
  buffer(request).catch(() => new Promise<never>(() => {}))

/** A stand-in for any server in place of a Host, on its own port. */
export const startStandIn = async (answer: RequestListener): Promise<StandIn> => {
  const requests: {path: string; authorization: string | undefined}[] = []
  const server = createServer((request, response) => {
    requests.push({path: request.url ?? "", authorization: request.headers.authorization})
    response.on("error", () => {})
    answer(request, response)
  })
  const port = await listen(server)
  return {url: `http://127.0.0.1:${port}`, requests}
}
