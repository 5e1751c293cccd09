import {
  AnswerTooLarge,
  type FetchInit,
  fetchWhole,
  readText,
  refused,
  retryAfter,
  tryParseJson,
  withDeadline,
} from "../../../../shared/sdk/sdk.ts"
import {type Fields, fieldsOf, numberIn, textIn} from "./json.ts"

/** The timeout in milliseconds for a request that does not wait at the server. */
const patience = 30_000

/** An answer of the homeserver other than 2xx. */
export class MatrixError extends Error {
  readonly status: number
  /** The error code, such as `M_FORBIDDEN`; empty if the answer has none. */
  readonly code: string
  /** How long the server asks to wait, in milliseconds. */
  readonly wait: number | undefined
  readonly isSoftLogout: boolean

  constructor(what: string, status: number, answer: Fields, header: string | null) {
    const code = textIn(answer, "errcode") ?? ""
    const said = textIn(answer, "error")?.slice(0, 500) ?? ""
    super(`${what}: the homeserver answered ${[status, code, said].filter(part => part !== "").join(" ")}`)
    this.status = status
    this.code = code
    const seconds = header !== null && /^\d+$/.test(header) ? Number(header) * 1000 : undefined
    this.wait = status === 429 ? (numberIn(answer, "retry_after_ms") ?? seconds ?? 1000) : undefined
    this.isSoftLogout = answer.soft_logout === true
  }
}

/** Whether this is an answer of the homeserver with one of these codes. */
export const isSaid = (error: unknown, ...codes: readonly string[]): error is MatrixError =>
  error instanceof MatrixError && codes.includes(error.code)

export interface Request {
  readonly body?: object
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly signal: AbortSignal
  /** The timeout, in milliseconds. */
  readonly patience?: number
  /** The largest answer, in bytes, if it is not the usual one. */
  readonly most?: number
}

type Init = FetchInit & {readonly headers?: Readonly<Record<string, string>>}

/** Returns a path of the API. Each `value` is one segment. */
export const path = (texts: TemplateStringsArray, ...values: readonly string[]): string =>
  texts.reduce((whole, text, index) => whole + encodeURIComponent(values[index - 1] ?? "") + text)

/** The client-server API of one homeserver (https://spec.matrix.org/v1.15/client-server-api/). */
export class Client {
  readonly homeserver: string
  readonly #token: string | undefined

  constructor(homeserver: string, token?: string) {
    this.homeserver = homeserver.replace(/\/+$/, "")
    this.#token = token
  }

  /**
   * Sends a request and reads the JSON. `route` is the path after `/_matrix`. Throws `MatrixError`; network errors
   * contain no secret.
   */
  async ask(
    method: string,
    route: string,
    {body, query = {}, signal, patience: time = patience, ...more}: Request,
  ): Promise<Fields> {
    const sent = body === undefined ? {} : {body: JSON.stringify(body), headers: {"content-type": "application/json"}}
    const ask = (limit: AbortSignal) =>
      this.send(method, `${route}${queryOf(query)}`, {signal: limit, ...sent, ...more})
    return withDeadline(time, ask, signal)
  }

  /** Sends a request and reads the JSON. Throws the errors of `ask`. */
  async send(method: string, route: string, init: Init): Promise<Fields> {
    const answer = await this.fetch(method, route, init, fetchWhole)
    const json = tryParseJson(await readText(answer, init.most))
    const what = `${method} ${shown(route)}`
    if (!answer.ok) throw new MatrixError(what, answer.status, fieldsOf(json), answer.headers.get("retry-after"))
    if (json === undefined) throw new Error(`${what}: ${this.homeserver} returned something other than JSON`)
    return fieldsOf(json)
  }

  /** Sends a request with the account's token. It follows no redirect. */
  async fetch(
    method: string,
    route: string,
    {headers, ...init}: Init,
    fetching: typeof fetchWhole = fetch,
  ): Promise<Response> {
    const authorization = this.#token === undefined ? {} : {authorization: `Bearer ${this.#token}`}
    try {
      const sent = {...init, method, headers: {...headers, ...authorization}, redirect: "manual"} as const
      return await fetching(`${this.homeserver}/_matrix${route}`, sent)
    } catch (error) {
      if (init.signal?.aborted === true && !isTimeout(init.signal.reason)) throw init.signal.reason
      if (error instanceof AnswerTooLarge) throw error
      throw new Error(`could not reach ${this.homeserver}: ${reasonOf(error)}`)
    }
  }
}

/** Routes contain room ids. The rest of a longer one would not help. */
const shown = (route: string): string => decodeURIComponent(route.replace(/\?.*/s, "")).slice(0, 200)

const isTimeout = (reason: unknown): boolean => reason instanceof DOMException && reason.name === "TimeoutError"

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const {cause} = error
  const code = fieldsOf(error as unknown as Fields).code ?? fieldsOf(cause).code
  return [error.message, code].filter(part => typeof part === "string" && part !== "").join(" ")
}

const queryOf = (query: NonNullable<Request["query"]>): string => {
  const given = Object.entries(query).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]]))
  return given.length === 0 ? "" : `?${new URLSearchParams(given as [string, string][])}`
}

/** Converts errors of an act for the Host: a permanent error becomes a refusal, and a rate limit becomes a wait. */
export const acting = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof MatrixError)) throw error
    if (error.wait !== undefined) throw retryAfter(error.wait, error.message)
    if (error.status >= 500 || error.status === 401 || error.status === 408) throw error
    throw refused(error.message, {...remedyOf(error), cause: error})
  }
}

const remedyOf = ({code, status}: MatrixError): {readonly reason: string; readonly remediation: string} => {
  if (code === "M_FORBIDDEN")
    return {
      reason: "forbidden",
      remediation: "Invite the bot to the room, and give it the power level that this needs.",
    }
  if (code === "M_NOT_FOUND")
    return {reason: "target_unknown", remediation: "Check the id or alias of the room, and the id of the message."}
  if (code === "M_TOO_LARGE" || status === 413)
    return {reason: "too_large", remediation: "Send less at once, or a smaller file."}
  return {reason: "rejected", remediation: "Check the target and the content; the homeserver rejects this."}
}
