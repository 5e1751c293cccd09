import {type IncomingMessage, request as requestPlain} from "node:http"
import {request as requestSecure} from "node:https"
import {isIP} from "node:net"
import {promisify} from "node:util"
import {gunzip} from "node:zlib"
import {withDeadline} from "svc-runtime"
import {addressesOf, allowedFrom, hostOf} from "./addresses.ts"

/** Why a feed could not be read: a code of the texts, or the status of the answer. `wait` is what the server asks for. */
export class FeedFailure extends Error {
  readonly problem: string
  readonly wait: number

  constructor(problem: string, wait = 0, options?: ErrorOptions) {
    super(`the feed could not be read: ${problem}`, options)
    this.problem = problem
    this.wait = wait
  }
}

export interface FeedAnswer {
  readonly url: URL
  /** Undefined if the feed has not changed. */
  readonly body: Uint8Array | undefined
  readonly type: string
  readonly etag: string
  readonly modified: string
}

/** What the server said about the copy that the bot has. */
export interface Validators {
  readonly etag: string
  readonly modified: string
}

const limits = {
  bytes: 2_000_000,
  milliseconds: 20_000,
  redirects: 5,
  addresses: 3,
  address: 8000,
  wait: 7 * 86_400_000,
} as const

const redirects: readonly number[] = [301, 302, 303, 307, 308]

const accept = "application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, */*;q=0.5"

/**
 * Reads a feed. The operator chose its address, which may be private. A redirect to another server may lead from a
 * public address to public ones only: the request connects to an address that was checked. Throws `FeedFailure`.
 */
export const fetchFeed = async (address: string, known: Validators, outer: AbortSignal): Promise<FeedAnswer> =>
  withDeadline(limits.milliseconds, signal => follow(new URL(address), known, signal), outer).catch(cause => {
    if (outer.aborted) throw outer.reason
    if (cause instanceof FeedFailure) throw cause
    const isLate = cause instanceof Error && cause.name === "TimeoutError"
    throw new FeedFailure(isLate ? "late" : "unreachable", 0, {cause})
  })

const follow = async (first: URL, known: Validators, signal: AbortSignal): Promise<FeedAnswer> => {
  let url = first
  let addresses = await orAbort(addressesOf(url), signal)
  for (let hop = 0; hop <= limits.redirects; hop++) {
    const answer = await askFirst(url, addresses, headersOf(url, first, known), signal)
    const {statusCode = 0, headers} = answer
    const next = redirects.includes(statusCode) ? URL.parse(headers.location ?? "", url) : null
    if (next === null || headers.location === undefined) return read(answer, url, signal)
    answer.destroy()
    if (next.origin !== url.origin) {
      if (next.protocol !== "http:" && next.protocol !== "https:") break
      addresses = allowedFrom(addresses, await orAbort(addressesOf(next), signal))
      if (addresses.length === 0) break
    }
    url = next
  }
  throw new FeedFailure("redirect")
}

const headersOf = (url: URL, first: URL, {etag, modified}: Validators): Readonly<Record<string, string>> => {
  const {username, password} = first
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const isTrusted = username !== "" && url.origin === first.origin
  return {
    host: url.host,
    accept,
    "accept-encoding": "gzip",
    "user-agent": "svc-plugin-feeds",
    ...(etag === "" ? {} : {"if-none-match": etag}),
    ...(modified === "" ? {} : {"if-modified-since": modified}),
    ...(isTrusted ? {authorization: `Basic ${Buffer.from(login).toString("base64")}`} : {}),
  }
}

/** Returns the head of the first address that answers. */
const askFirst = async (
  url: URL,
  addresses: readonly string[],
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<IncomingMessage> => {
  let failure: unknown
  for (const host of addresses.slice(0, limits.addresses)) {
    try {
      // An address that does not answer leaves time for the next one.
      return await withDeadline(limits.address, inner => ask(url, host, headers, inner), signal)
    } catch (error) {
      if (signal.aborted) throw signal.reason
      failure = error
    }
  }
  throw failure
}

const ask = (url: URL, host: string, headers: Readonly<Record<string, string>>, signal: AbortSignal) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const port = url.port === "" ? undefined : Number(url.port)
    const options = {host, port, path: `${url.pathname}${url.search}`, headers, agent: false, signal} as const
    const name = hostOf(url)
    // The certificate belongs to the name, not to the address.
    const secure = isIP(name) > 0 ? options : {...options, servername: name}
    const sent = url.protocol === "https:" ? requestSecure(secure) : requestPlain(options)
    sent.on("response", resolve).on("error", reject).end()
  })

const read = async (answer: IncomingMessage, url: URL, signal: AbortSignal): Promise<FeedAnswer> => {
  // The reader sees a failure. Without a reader it must not end the process.
  answer.on("error", () => {})
  const {statusCode = 0, headers} = answer
  const told = {
    url,
    type: headers["content-type"] ?? "",
    etag: (headers.etag ?? "").slice(0, 500),
    modified: (headers["last-modified"] ?? "").slice(0, 100),
  }
  if (statusCode !== 200) {
    answer.destroy()
    if (statusCode === 304) return {...told, body: undefined}
    throw new FeedFailure(String(statusCode), waitOf(headers["retry-after"]))
  }
  const bytes = await orAbort(bodyOf(answer), signal).finally(() => answer.destroy())
  const encoding = headers["content-encoding"] ?? "identity"
  if (encoding === "identity") return {...told, body: bytes}
  if (encoding !== "gzip" && encoding !== "x-gzip") throw new FeedFailure("format")
  return {...told, body: await unpack(bytes)}
}

const bodyOf = async (answer: IncomingMessage): Promise<Uint8Array> => {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of answer) {
    pieces.push(piece)
    size += piece.length
    if (size > limits.bytes) throw new FeedFailure("large")
  }
  return Buffer.concat(pieces)
}

const unpack = (bytes: Uint8Array): Promise<Uint8Array> =>
  promisify(gunzip)(bytes, {maxOutputLength: limits.bytes}).catch(cause => {
    const isLarge = cause instanceof Error && "code" in cause && cause.code === "ERR_BUFFER_TOO_LARGE"
    throw new FeedFailure(isLarge ? "large" : "format", 0, {cause})
  })

/** Reads `Retry-After`: seconds or a date. */
const waitOf = (header: string | undefined): number => {
  if (header === undefined) return 0
  const wait = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isNaN(wait) ? 0 : Math.min(Math.max(wait, 0), limits.wait)
}

/** Rejects when the signal aborts, whatever the work does. */
const orAbort = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener("abort", abort, {once: true})
  if (signal.aborted) abort()
  return Promise.race([work, aborted.promise]).finally(() => signal.removeEventListener("abort", abort))
}
