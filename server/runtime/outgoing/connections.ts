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
 * Connections of our own to other servers. A runtime's `fetch` shares its pool with everything in the process, and hands
 * out a kept connection that hangs again and again: here `renew` replaces all of them.
 */
export class Connections {
  #pool = createPool()

  /**
   * Resolves once the whole answer is there; redirects are not followed. At the limit, in milliseconds, the connection is
   * cut and it rejects with `TimeLimitExceeded`.
   */
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

  /** The next requests get new connections. Those that run now may end on theirs. */
  renew(): void {
    const old = this.#pool
    this.#pool = createPool()
    this.#endIfOld(old)
  }

  /** Cuts every connection that no request uses. */
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
