import {type IncomingMessage, Agent as PlainAgent, request as requestPlain} from "node:http"
import {request as requestSecure, Agent as SecureAgent} from "node:https"
import {withTimeLimit} from "../flow/time-limit.ts"

interface Pool {
  readonly plain: PlainAgent
  readonly secure: SecureAgent
  running: number
}

const createPool = (): Pool => ({
  plain: new PlainAgent({keepAlive: true}),
  secure: new SecureAgent({keepAlive: true}),
  running: 0,
})

/**
 * Connections to other servers, separate from the runtime's `fetch`: that shares its pool with the whole process and
 * keeps handing out a connection that hangs. Here `renew` replaces all of them.
 */
export class Connections {
  #pool = createPool()

  /** Follows no redirect. At the limit, in milliseconds, cuts the connection and rejects with `TimeLimitExceeded`. */
  async fetch(request: Request, limit: number): Promise<Response> {
    const pool = this.#pool
    pool.running++
    try {
      return await withTimeLimit(limit, signal => ask(request, pool, signal))
    } finally {
      pool.running--
      this.#endIfOld(pool)
    }
  }

  /** Gives later requests new connections. Running requests finish on their old ones. */
  renew(): void {
    const old = this.#pool
    this.#pool = createPool()
    this.#endIfOld(old)
  }

  close(): void {
    this.renew()
  }

  #endIfOld(pool: Pool): void {
    if (pool === this.#pool || pool.running > 0) return
    pool.plain.destroy()
    pool.secure.destroy()
  }
}

const ask = async (request: Request, {plain, secure}: Pool, signal: AbortSignal): Promise<Response> => {
  const body = Buffer.from(await request.arrayBuffer())
  const url = new URL(request.url)
  const headers = {...Object.fromEntries(request.headers), "content-length": String(body.length)}
  const how = {method: request.method, headers, signal}
  const {promise, resolve, reject} = Promise.withResolvers<IncomingMessage>()
  const sent =
    url.protocol === "https:" ? requestSecure(url, {...how, agent: secure}) : requestPlain(url, {...how, agent: plain})
  sent.on("response", resolve).on("error", reject).end(body)
  return read(await promise)
}

const read = async (answer: IncomingMessage): Promise<Response> => {
  const chunks: Uint8Array[] = []
  for await (const chunk of answer) chunks.push(chunk)
  const type = answer.headers["content-type"]
  return new Response(chunks.length === 0 ? null : Buffer.concat(chunks), {
    status: answer.statusCode ?? 502,
    headers: type === undefined ? {} : {"content-type": type},
  })
}
