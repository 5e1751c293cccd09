import {pluginPath} from "../../../shared/ids.ts"
import {isProblem, Problem} from "../../../shared/problems.ts"
import {isResponse} from "../../../shared/route.ts"
import type {SocketHandler} from "../../../shared/sdk/adapter/socket.ts"
import {fieldsOf} from "../../../shared/sdk/session/values.ts"
import type {Endpoint} from "../../endpoints/endpoint.ts"
import type {Endpoints} from "../../endpoints/endpoints.ts"
import {requireAdmission, retryAfter} from "../../endpoints/part/webhooks.ts"
import type {Peer, PeerOf, SocketHooks} from "../../runtime/runtime.ts"
import {failedToAnswer} from "../../runtime/runtime.ts"
import {decodePercent} from "../../runtime/text/percent.ts"
import type {Guard} from "../door.ts"
import {FailureLimit} from "../requests/auth.ts"
import {Connection, type ConnectionOptions} from "./connection.ts"

/** The highest number of open connections per endpoint. */
const mostOfEndpoint = 16

export interface PlatformSocketsOptions {
  /** `http.base` of the configuration. */
  readonly base: string
  readonly endpoints: Pick<Endpoints, "get">
  readonly guard: Guard
}

/** The decision about an accepted connection. */
interface Admitted extends Record<string, unknown> {
  readonly connection: ConnectionOptions
}

/** WebSockets that platforms open. The endpoint's adapter verifies and accepts each of them. */
export class PlatformSockets {
  readonly #options: PlatformSocketsOptions
  readonly #connections = new Map<Peer, Connection>()
  readonly #counts = new Map<string, number>()
  readonly #failures = new FailureLimit()

  constructor(options: PlatformSocketsOptions) {
    this.#options = options
  }

  isServedAt(path: string): boolean {
    return path.startsWith(`${this.#options.base}/hooks/`)
  }

  /** Throws the `Problem` that refuses an upgrade. */
  readonly socket: SocketHooks = {
    upgrade: (request, peerOf) => this.#admit(request, peerOf),
    open: peer => this.#open(peer),
    message: (peer, {rawData}) => this.#connections.get(peer)?.hear(readData(rawData)),
    close: (peer, {code = 1006, reason = ""}) => this.#end(peer, code, reason),
    error: peer => this.#connections.get(peer)?.cutSoon(),
  }

  #admit(request: Request, peerOf: PeerOf): Response | {readonly context: Admitted} {
    const endpoint = this.#find(new URL(request.url).pathname)
    requireAdmission(endpoint.admission)
    const {accepting, spec} = endpoint
    if (accepting === undefined) throw new Problem("admission_closed", "the endpoint is not open yet", {retryAfter})
    if ((this.#counts.get(spec.name) ?? 0) >= mostOfEndpoint)
      throw new Problem("no_room", `${mostOfEndpoint} connections of the endpoint are open`, {retryAfter})
    const taken = this.#take(endpoint, accepting.take, this.#withoutToken(request))
    if (isResponse(taken))
      return this.#refuse(taken, () => `${spec.name} ${this.#options.guard.addressOf(request, peerOf)}`)
    const {name, log, own} = spec
    return {context: {connection: {endpoint: name, handler: taken, log, own, attempt: accepting.signal}}}
  }

  /** Throws `endpoint_unknown`. */
  #find(path: string): Endpoint {
    const [plugin = "", name = "", ...more] = path
      .slice(`${this.#options.base}/hooks/`.length)
      .split("/")
      .map(decodePercent)
    const endpoint = this.#options.endpoints.get(name)
    const isThere = endpoint?.spec.sockets === true && endpoint.spec.owner === pluginPath(plugin)
    if (!isThere || more.length > 0) throw new Problem("endpoint_unknown", "no endpoint accepts WebSockets here")
    return endpoint
  }

  #take({spec: {name, log, own}}: Endpoint, take: (request: Request) => unknown, request: Request) {
    try {
      const taken = own(() => take(request))
      if (isResponse(taken)) return taken
      if (typeof fieldsOf(taken).message === "function") return taken as SocketHandler
      throw new TypeError("accept must return a Response, or an object with message()")
    } catch (error) {
      if (error instanceof Problem) throw error
      log.error(`${name}: the Host refused a WebSocket`, {error})
      throw failedToAnswer(error)
    }
  }

  /** Removes a Host token from the request: it grants nothing here, and no plugin may see it. */
  #withoutToken(request: Request): Request {
    if (!this.#options.guard.showsToken(request.headers.get("authorization"))) return request
    const headers = new Headers(request.headers)
    headers.delete("authorization")
    return new Request(request.url, {headers})
  }

  /** Limits senders that repeatedly show wrong credentials, as for webhooks. */
  #refuse(answer: Response, senderOf: () => string): Response {
    if (answer.status !== 401 && answer.status !== 403) return answer
    try {
      return this.#failures.refuse(senderOf(), new Problem("signature_invalid", "the adapter refused it"))
    } catch (error) {
      if (isProblem(error, "signature_invalid")) return answer
      throw error
    }
  }

  #open(peer: Peer): void {
    const {connection: options} = admittedOf(peer)
    const connection = new Connection(peer, options)
    this.#connections.set(peer, connection)
    this.#count(options.endpoint, 1)
    connection.open()
  }

  #end(peer: Peer, code: number, reason: string): void {
    const connection = this.#connections.get(peer)
    if (connection === undefined) return
    this.#connections.delete(peer)
    this.#count(admittedOf(peer).connection.endpoint, -1)
    connection.end(code, reason)
  }

  #count(endpoint: string, change: 1 | -1): void {
    const count = (this.#counts.get(endpoint) ?? 0) + change
    if (count > 0) this.#counts.set(endpoint, count)
    else this.#counts.delete(endpoint)
  }
}

/** The context that `#admit` made. */
const admittedOf = (peer: Peer) => peer.context as Admitted

const readData = (data: unknown): string | Uint8Array =>
  typeof data === "string" || data instanceof Uint8Array ? data : new Uint8Array(data as ArrayBuffer)
