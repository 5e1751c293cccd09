import {fromJson, toJson} from "../../../shared/json.ts"
import {messageOf} from "../../../shared/problems.ts"
import type {Hide} from "./hiding.ts"
import {ModelFailure} from "./model.ts"
import {retryAfterOf} from "./retry-after.ts"

/** In characters: the message of a failure, including 500 from the provider. */
const longestMessage = 550

/** 4xx statuses for which a retry may succeed: timeout, conflict, too early, too many requests. */
const passing: readonly number[] = [408, 409, 425, 429]

/** Words in a failure's type for which a retry would fail too, whatever the status. */
const lasting = /insufficient_quota|billing|invalid|authentication|permission|not_found|too_large|context_length/i

/** Returns the failure for an HTTP answer. `body` is the part that was read. `now` is in milliseconds since 1970. */
export const failureOfAnswer = (response: Response, body: string, now: number): ModelFailure => {
  const {status, headers} = response
  const words = wordsOf(body)
  const retryAfter = retryAfterOf(headers, now) ?? retryDelayOf(body)
  const isBusy = status >= 500 || (passing.includes(status) && !/insufficient_quota|billing/.test(words.type))
  const target = status >= 300 && status < 400 ? redirectOf(headers, response.url) : undefined
  const said = target ?? (words.message === "" ? response.statusText : words.message)
  return new ModelFailure(
    isBusy ? "busy" : "refused",
    `the provider answered ${status}${said === "" ? "" : `: ${said}`}`,
    {status, ...(isBusy && retryAfter !== undefined ? {retryAfter} : {})},
  )
}

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

/** Returns the failure that the provider reports inside its stream. */
export const failureInStream = (error: unknown): ModelFailure => {
  if (isUnreadable(error)) return unreadable(error)
  const status = numberOf(error, "statusCode")
  const {message, type} = wordsOfValue(error)
  const isLasting = status === undefined ? lasting.test(type) : status < 500 && !passing.includes(status)
  const said = message === "" ? "the provider's stream reported a failure" : `the provider broke off: ${message}`
  return new ModelFailure(isLasting ? "refused" : "busy", said, status === undefined ? {} : {status})
}

/** Returns the failure for an error of a provider's package: the provider's own words, or an unreadable answer. */
export const packageFailure = (error: unknown): ModelFailure =>
  numberOf(error, "statusCode") !== undefined || isUnreadable(error)
    ? failureInStream(error)
    : malformedFailure(messageOf(error))

/** Returns the failure for a connection that could not be opened, or broke before the answer began. */
export const failureOfConnection = (url: string, error: unknown): ModelFailure => {
  const code = codeOf(error)
  const origin = URL.parse(url)?.origin ?? "its address"
  return new ModelFailure("busy", `could not reach the provider at ${origin} (${code})`, {code})
}

export const cutFailure = (): ModelFailure =>
  new ModelFailure("busy", "the provider's stream ended before the answer was complete", {code: "cut"})

/** Whether this is an error of the provider's package about unreadable data. */
const isUnreadable = (error: unknown): boolean =>
  error instanceof Error && /^AI_(JSONParse|TypeValidation|InvalidResponseData|EmptyResponseBody)/.test(error.name)

/**
 * Returns the failure for unreadable data: a stream that ended early, a failure in words unknown to the package, or
 * nonsense.
 */
const unreadable = (error: unknown): ModelFailure => {
  if (error instanceof Error && /without a finish reason/.test(error.message)) return cutFailure()
  const {message} = wordsOfValue(field(error, "value"))
  return malformedFailure(message === "" ? undefined : message)
}

export const malformedFailure = (why = "it is not a stream of the provider's protocol"): ModelFailure =>
  new ModelFailure("malformed", `could not read the provider's answer: ${why}`)

interface Words {
  readonly message: string
  /** The provider's word for the kind of failure. */
  readonly type: string
}

/**
 * Returns the message in a body: `{error: {message}}` of all three protocols, `{error}` of Ollama, `{detail}` of
 * FastAPI, `{message}`, or plain text.
 */
const wordsOf = (body: string): Words => {
  try {
    return wordsOfValue(fromJson(body))
  } catch {
    const isPage = /^\s*</.test(body)
    return {message: isPage ? "" : body, type: ""}
  }
}

const wordsOfValue = (value: unknown): Words => {
  const first = Array.isArray(value) ? value[0] : value
  const error = field(first, "error") ?? first
  const detail = field(error, "message") ?? field(error, "detail") ?? error
  const types = ["type", "code", "status"].map(name => field(error, name)).filter(each => typeof each === "string")
  const text = typeof detail === "string" ? detail : detail === error ? "" : toJson(detail)
  return {message: text, type: types.join(" ")}
}

const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined

const numberOf = (value: unknown, name: string): number | undefined => {
  const found = field(value, name)
  return typeof found === "number" ? found : undefined
}

/** Returns the system's error code, which Node keeps in a cause; otherwise the cause's message, such as "bad port". */
const codeOf = (error: unknown): string => {
  const code = field(error, "code") ?? field(field(error, "cause"), "code")
  const said = field(field(error, "cause"), "message")
  return typeof code === "string" ? code : typeof said === "string" ? said : "no connection"
}

/**
 * Returns the failure with a short one-line message, without what `hide` hides, because providers repeat what they were
 * sent.
 */
export const withoutSecrets = ({kind, message, status, retryAfter, code}: ModelFailure, hide: Hide): ModelFailure => {
  const line = hide(message)
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim()
  const short = line.length > longestMessage ? `${line.slice(0, longestMessage).toWellFormed()}…` : line
  return new ModelFailure(kind, short, {
    ...(status === undefined ? {} : {status}),
    ...(retryAfter === undefined ? {} : {retryAfter}),
    ...(code === undefined ? {} : {code}),
  })
}
