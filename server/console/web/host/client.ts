import {
  type At,
  addressOf,
  type Client,
  createClient,
  type Input,
  type Path,
} from "../../../../shared/api/operations/client.ts"

/** The Host rejected a request: its problem (RFC 9457). */
export class Refusal extends Error {
  readonly status: number
  readonly code: string
  readonly hint: string
  readonly requestId: string
  /** The number of seconds to wait, if the Host gives one. */
  readonly retryAfter: number | undefined

  /** The errors in the configuration, one line each. */
  readonly issues: readonly string[]
  /** The current state of the thing that the request was for, if the Host sends it. */
  readonly current: unknown

  constructor(status: number, problem: Partial<Problem>, retryAfter?: number) {
    super(problem.detail ?? `the Host answered ${status}`)
    this.status = status
    this.code = problem.code ?? "unknown"
    this.hint = problem.hint ?? ""
    this.requestId = problem.requestId ?? ""
    this.retryAfter = retryAfter
    this.issues = (problem.issues ?? []).map(lineOf)
    this.current = problem.current
  }
}

/** No answer: the Host is offline, does not allow this page's origin, or the page's policy does not allow the Host. */
export class Unreachable extends Error {}

interface Problem {
  readonly detail: string
  readonly code: string
  readonly hint: string
  readonly requestId: string
  readonly issues: readonly Issue[]
  readonly current: unknown
}

interface Issue {
  readonly file?: string
  readonly line?: number
  readonly column?: number
  readonly path?: string
  readonly message?: string
}

const lineOf = ({file = "", line, column, path, message = ""}: Issue): string =>
  [
    line === undefined ? file : `${file}:${line}:${column}`,
    path === undefined || path === "" ? message : `${path}: ${message}`,
  ]
    .filter(part => part !== "")
    .join(" ")

interface Options {
  /** An error status whose body is an answer too: the readiness report is a 503 while the Host is not ready. */
  readonly also?: number
}

/** Sends requests to one Host with one token. Each method throws `Refusal` or `Unreachable`. */
export class HostClient {
  readonly url: string
  readonly get: Client<Options>["get"]
  readonly post: Client<Options>["post"]
  readonly #token: string
  readonly #signal: AbortSignal | undefined

  /** `url` includes `http.base`, without a trailing slash. */
  constructor(url: string, token: string, signal?: AbortSignal) {
    this.url = url
    this.#token = token
    this.#signal = signal
    const {get, post} = createClient<Options>((method, path, body, options) => this.#send(method, path, body, options))
    this.get = get
    this.post = post
  }

  /** Returns the same client, whose requests end when the signal aborts. */
  until(signal: AbortSignal | undefined): HostClient {
    return new HostClient(this.url, this.#token, signal)
  }

  /** Reads a route of a plugin; with a body, posts to it. */
  plugin<T>(path: `/api/plugins/${string}`, body?: unknown): Promise<T> {
    return this.#send(body === undefined ? "GET" : "POST", path, body)
  }

  /** Returns the response, for the caller to read as a stream or as text. */
  open<P extends Path<"GET">>(path: P, input: Input<At<"GET", P>>, init: RequestInit = {}): Promise<Response> {
    return this.#ask(addressOf(path, input), init)
  }

  async #send<T>(method: string, path: string, body: unknown, {also}: Options = {}): Promise<T> {
    const sent = {headers: {"content-type": "application/json"}, body: JSON.stringify(body)}
    const response = await this.#ask(path, {method, ...(body === undefined ? {} : sent)}, also)
    try {
      return await response.json()
    } catch (cause) {
      throw new Unreachable(`${this.url} did not answer as a Host`, {cause})
    }
  }

  async #ask(path: string, init: RequestInit, also?: number): Promise<Response> {
    const headers = {...init.headers, authorization: `Bearer ${this.#token}`}
    const signal = init.signal ?? this.#signal ?? null
    const asked = {...init, headers, signal, cache: "no-store", redirect: "error"} as const
    const response = await fetch(`${this.url}${path}`, asked).catch(cause => {
      if (signal?.aborted === true) throw cause
      throw new Unreachable(`${this.url} does not answer`, {cause})
    })
    if (response.ok || (response.status === also && isReport(response))) return response
    throw await refusalOf(response)
  }
}

const isReport = ({headers}: Response) => headers.get("content-type")?.startsWith("application/json") === true

const refusalOf = async (response: Response): Promise<Refusal> =>
  refusalFrom(response.status, await response.json().catch(() => undefined), response.headers.get("retry-after"))

/** Returns the `Refusal` for an error response; `retryAfter` is its header. */
export const refusalFrom = (status: number, json: unknown, retryAfter: string | null): Refusal => {
  const problem: Partial<Problem> = typeof json === "object" && json !== null ? json : {}
  const wait = Number(retryAfter ?? Number.NaN)
  return new Refusal(status, problem, Number.isFinite(wait) ? wait : undefined)
}
