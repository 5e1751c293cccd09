import {fromJson, toJson} from "../../../shared/json.ts"
import {messageOf} from "../../../shared/problems.ts"
import type {Hide} from "./hiding.ts"
import {field} from "./known-parts.ts"
import {ModelFailure} from "./model.ts"

/** The longest wait for a provider, in milliseconds. */
const longest = 24 * 3600_000

/**
 * Returns how long to wait before a retry, in milliseconds: `retry-after-ms`, or `Retry-After` in seconds or as an HTTP
 * date (RFC 9110); at most a day. Undefined if neither exists or can be read. `now` is in milliseconds since 1970.
 */
export const retryAfterOf = (headers: Headers, now: number): number | undefined => {
  const wait = millisecondsOf(headers.get("retry-after-ms")) ?? secondsOrDateOf(headers.get("retry-after"), now)
  return wait === undefined ? undefined : Math.min(Math.ceil(wait), longest)
}

const millisecondsOf = (text: string | null): number | undefined =>
  text !== null && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined

const secondsOrDateOf = (text: string | null, now: number): number | undefined => {
  const seconds = millisecondsOf(text)
  if (seconds !== undefined) return seconds * 1000
  // Date.parse accepts much more than HTTP dates, such as "-5" as a year.
  if (text === null || !/^\s*[A-Za-z]{3,9},? /.test(text)) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

/** In characters: the message of a failure, including 500 from the provider. */
const longestMessage = 550

/** 4xx statuses for which a retry may succeed: timeout, conflict, too early, too many requests. */
const passing: readonly number[] = [408, 409, 425, 429]

/** Words in a failure's type, or else in its message, for which a retry would fail too. */
const lasting =
  /insufficient.quota|billing|invalid|unauth|authentication|permission|not.found|too.(large|long)|context.length/i

/** Words in a type of 429 that mean the account, not the moment. */
const unpaid = /insufficient_quota|billing/

/** Returns the failure for an HTTP answer. `body` is the part that was read. `now` is in milliseconds since 1970. */
export const failureOfAnswer = (response: Response, body: string, now: number): ModelFailure => {
  const {status, headers} = response
  const words = wordsOf(body)
  const retryAfter = retryAfterOf(headers, now) ?? retryDelayOf(body)
  const isBusy = isPassing(status, words.type)
  const target = status >= 300 && status < 400 ? redirectOf(headers, response.url) : undefined
  const said = target ?? (words.message === "" ? response.statusText : words.message)
  return new ModelFailure(
    isBusy ? "busy" : "refused",
    `the provider answered ${status}${said === "" ? "" : `: ${said}`}`,
    {status, retryAfter: isBusy ? retryAfter : undefined},
  )
}

const isPassing = (status: number, type: string): boolean =>
  status >= 500 || (passing.includes(status) && !unpaid.test(type))

/** Reads Google's `RetryInfo`, which has no header: a duration in the body, such as 34.4s. */
const retryDelayOf = (body: string): number | undefined => {
  const [, seconds] = /"retryDelay"\s*:\s*"(\d{1,6}(?:\.\d+)?)s"/.exec(body) ?? []
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000)
}

/** svc does not follow redirects, because the key would go to the new host. */
const redirectOf = (headers: Headers, from: string): string => {
  const target = URL.parse(headers.get("location") ?? "", from)
  return target === null ? "a redirect to nowhere" : `a redirect to ${target.origin}, which svc does not follow`
}

/**
 * Returns the failure in an event of the provider's answer, of whatever shape; undefined if it reports none. `name` is
 * the event's name in the stream, and `isFirst` says that nothing came before it.
 */
export const failureInAnswer = (
  event: unknown,
  {name, isFirst}: {readonly name: string | undefined; readonly isFirst: boolean},
): ModelFailure | undefined => {
  const isFailure = [name, field(event, "type"), field(event, "object")].includes("error")
  const inChoice = field(field(field(event, "choices"), "0"), "error")
  const error = field(event, "error") || inChoice || (isFailure ? event : undefined)
  if (error === undefined || error === null) return undefined
  const {message, type, status} = wordsOfValue(error)
  const isBusy = status === undefined ? !lasting.test(type === "" ? message : type) : isPassing(status, type)
  const retryAfter = isBusy ? retryDelayOf(toJson(error)) : undefined
  return new ModelFailure(isBusy ? "busy" : "refused", `the provider reported a failure: ${message || type}`, {
    // Tokens are free only if the failure is the whole answer.
    status: isFirst ? status : undefined,
    retryAfter,
  })
}

/** Returns the failure for an error of a provider's package: an answer that was cut off, or one that it cannot read. */
export const packageFailure = (error: unknown): ModelFailure => {
  if (!(error instanceof Error) || !isUnreadable.test(error.name)) return malformedFailure(messageOf(error))
  return /without a finish reason/.test(error.message) ? cutFailure() : malformedFailure()
}

const isUnreadable = /^AI_(JSONParse|TypeValidation|InvalidResponseData|EmptyResponseBody)/

/** Returns the failure for a connection that could not be opened, or broke before the answer began. */
export const failureOfConnection = (url: string, error: unknown): ModelFailure => {
  const code = codeOf(error)
  const origin = URL.parse(url)?.origin ?? "its address"
  return new ModelFailure("busy", `could not reach the provider at ${origin} (${code})`, {code})
}

export const cutFailure = (): ModelFailure =>
  new ModelFailure("busy", "the provider's stream ended before the answer was complete", {code: "cut"})

/** Returns the failure for an answer of which svc knows nothing, with its first words. */
export const unknownAnswer = (event: unknown): ModelFailure => {
  const words = typeof event === "string" ? wordsOf(event) : wordsOfValue(event)
  return malformedFailure(words.message || (typeof event === "string" ? undefined : toJson(event)))
}

export const malformedFailure = (why = "it is not a stream of the provider's protocol"): ModelFailure =>
  new ModelFailure("malformed", `could not read the provider's answer: ${why}`)

interface Words {
  readonly message: string
  /** The provider's word for the kind of failure. */
  readonly type: string
  readonly status: number | undefined
}

/** Returns a body's message: `{error: {message}}`, Ollama's `{error}`, FastAPI's `{detail}`, `{message}`, or text. */
const wordsOf = (body: string): Words => {
  try {
    return wordsOfValue(fromJson(body))
  } catch {
    const isPage = /^\s*</.test(body)
    return {message: isPage ? "" : body, type: "", status: undefined}
  }
}

const wordsOfValue = (value: unknown): Words => {
  const first = Array.isArray(value) ? value[0] : value
  const error = field(first, "error") ?? first
  const detail = field(error, "message") ?? field(error, "detail") ?? error
  const kinds = ["type", "code", "status", "statusCode"].map(name => field(error, name))
  const text = typeof detail === "string" ? detail : detail === error ? "" : toJson(detail)
  return {
    message: text,
    type: kinds.filter(kind => typeof kind === "string").join(" "),
    status: kinds.map(Number).find(status => status >= 400 && status < 600),
  }
}

/** Returns the system's error code, which Node keeps in a cause; otherwise the cause's message, such as "bad port". */
const codeOf = (error: unknown): string => {
  const code = field(error, "code") ?? field(field(error, "cause"), "code")
  const said = field(field(error, "cause"), "message")
  return typeof code === "string" ? code : typeof said === "string" ? said : "no connection"
}

/** Returns the failure in one short line, without what `hide` hides: providers repeat what they were sent. */
export const withoutSecrets = ({kind, message, status, retryAfter, code}: ModelFailure, hide: Hide): ModelFailure => {
  const line = hide(message)
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim()
  const short = line.length > longestMessage ? `${line.slice(0, longestMessage).toWellFormed()}…` : line
  return new ModelFailure(kind, short, {status, retryAfter, code})
}
