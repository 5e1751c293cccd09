import {sendFile, type UploadOptions} from "./upload.ts"

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

/** Sends requests to one Host with one token. Each method throws `Refusal` or `Unreachable`. */
export class HostClient {
  readonly url: string
  readonly #token: string

  /** `url` includes `http.base`, without a trailing slash. */
  constructor(url: string, token: string) {
    this.url = url
    this.#token = token
  }

  async get<T>(path: string, signal?: AbortSignal): Promise<T> {
    return this.#json(await this.open(path, signal === undefined ? {} : {signal}))
  }

  /**
   * Reads an answer whose body is also valid with the status `also`: the readiness report is a 503 while the Host is
   * not ready.
   */
  async read<T>(path: string, also: number, signal?: AbortSignal): Promise<T> {
    return this.#json(await this.#ask(path, signal === undefined ? {} : {signal}, also))
  }

  async post<T>(path: string, body?: unknown): Promise<T> {
    const sent = {headers: {"content-type": "application/json"}, body: JSON.stringify(body)}
    return this.#json(await this.open(path, {method: "POST", ...(body === undefined ? {} : sent)}))
  }

  /** Uploads a file as a stream; `onSent` receives the number of bytes sent. */
  async send<T>(path: string, file: Blob, options: Pick<UploadOptions, "onSent" | "signal">): Promise<T> {
    const asked = {...options, url: `${this.url}${path}`, token: this.#token}
    const {status, json, retryAfter} = await sendFile(file, asked).catch(cause => {
      if (options.signal.aborted) throw cause
      throw new Unreachable(`${this.url} does not answer, or ended the upload`, {cause})
    })
    if (status >= 300) throw refusalFrom(status, json, retryAfter)
    if (json === undefined) throw new Unreachable(`${this.url} did not answer as a Host`)
    return json as T
  }

  async text(path: string, signal?: AbortSignal): Promise<string> {
    const response = await this.open(path, signal === undefined ? {} : {signal})
    return response.text()
  }

  /** Returns the response, for the caller to read as a stream. */
  open(path: string, init: RequestInit = {}): Promise<Response> {
    return this.#ask(path, init)
  }

  async #ask(path: string, init: RequestInit, also?: number): Promise<Response> {
    const headers = {...init.headers, authorization: `Bearer ${this.#token}`}
    const response = await fetch(`${this.url}${path}`, {...init, headers, cache: "no-store", redirect: "error"}).catch(
      cause => {
        if (init.signal?.aborted === true) throw cause
        throw new Unreachable(`${this.url} does not answer`, {cause})
      },
    )
    if (response.ok || (response.status === also && isReport(response))) return response
    throw await refusalOf(response)
  }

  async #json<T>(response: Response): Promise<T> {
    try {
      return await response.json()
    } catch (cause) {
      throw new Unreachable(`${this.url} did not answer as a Host`, {cause})
    }
  }
}

const isReport = ({headers}: Response) => headers.get("content-type")?.startsWith("application/json") === true

const refusalOf = async (response: Response): Promise<Refusal> =>
  refusalFrom(response.status, await response.json().catch(() => undefined), response.headers.get("retry-after"))

/** Returns the `Refusal` for an error response; `retryAfter` is its header. */
const refusalFrom = (status: number, json: unknown, retryAfter: string | null): Refusal => {
  const problem: Partial<Problem> = typeof json === "object" && json !== null ? json : {}
  const wait = Number(retryAfter ?? Number.NaN)
  return new Refusal(status, problem, Number.isFinite(wait) ? wait : undefined)
}
