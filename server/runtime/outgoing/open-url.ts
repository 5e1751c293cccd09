import {type ClientRequest, type IncomingMessage, request as requestPlain} from "node:http"
import {request as requestSecure} from "node:https"
import {isIP} from "node:net"
import {messageOf, Problem} from "../../../shared/problems.ts"
import {withTimeLimit} from "../flow/time-limit.ts"
import type {Source} from "./bounded-stream.ts"
import {type Address, hostOf, type Lookup, resolve} from "./resolve.ts"

export interface OpenUrlOptions {
  readonly signal: AbortSignal
  /** Hosts that may be private, from `files.allowPrivate` of the configuration. */
  readonly allowPrivate: readonly string[]
  /** The time limit of the lookup, and of each address until it answers, in milliseconds. */
  readonly patience?: number
  readonly lookup?: Lookup
  /** Throws if the Host must not open this address, or one that it redirects to. Called before the lookup. */
  readonly requireAllowed?: (url: URL) => void
}

const mostRedirects = 5
/** How many addresses of a host name to try. */
const mostAddresses = 3
const redirects: readonly (number | undefined)[] = [301, 302, 303, 307, 308]

/**
 * Opens an address from an untrusted source. Looks the host up once, checks its addresses, and connects to exactly such
 * an address, so that a later change of the name has no effect. Checks each redirect, at most five, in the same way.
 * Uses no proxy. Throws `file_refused`, `file_unavailable`, the signal's reason, and the errors of `requireAllowed`.
 * Messages of the first two show only the host of the address.
 */
export const openUrl = async (address: string, options: OpenUrlOptions): Promise<Source> => {
  let url = readUrl(address)
  for (let hop = 0; hop <= mostRedirects; hop++) {
    options.requireAllowed?.(url)
    const answer = await reach(url, options)
    const {location} = answer.headers
    if (!redirects.includes(answer.statusCode) || location === undefined) return sourceOf(answer, url)
    answer.destroy()
    url = readUrl(location, url)
  }
  throw new Problem("file_refused", `${url.host} redirects more than ${mostRedirects} times`)
}

const readUrl = (address: string, base?: URL): URL => {
  const url = URL.parse(address, base)
  if (url === null) throw new Problem("file_refused", "its address is not a URL")
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new Problem("file_refused", `the Host fetches only http: and https: addresses, not ${url.protocol}`)
  if (url.username !== "" || url.password !== "")
    throw new Problem("file_refused", `the address of ${url.host} contains a user name or a password`)
  return url
}

/** Returns the answer of the first address that answers. */
const reach = async (url: URL, options: OpenUrlOptions): Promise<IncomingMessage> => {
  const {signal, patience = 10_000} = options
  const addresses = await withTimeLimit(patience, () => resolve(url, options), signal).catch(cause =>
    fail(cause, url, signal),
  )
  let failure: unknown
  for (const address of addresses.slice(0, mostAddresses)) {
    try {
      return await ask(url, address, patience, signal)
    } catch (error) {
      if (signal.aborted) break
      failure = error
    }
  }
  return fail(failure, url, signal)
}

const fail = (cause: unknown, url: URL, signal: AbortSignal): never => {
  if (signal.aborted) throw signal.reason
  if (cause instanceof Problem) throw cause
  throw new Problem("file_unavailable", `${url.host} did not answer: ${messageOf(cause)}`, {cause})
}

/** Resolves with the head of the answer. `signal` can still end the connection afterwards. */
const ask = async (url: URL, {address}: Address, patience: number, signal: AbortSignal): Promise<IncomingMessage> => {
  let sent: ClientRequest | undefined
  const answer = async () => {
    const {promise, resolve: heard, reject} = Promise.withResolvers<IncomingMessage>()
    sent = requestTo(url, address, signal).on("response", heard).on("error", reject)
    sent.end()
    return promise
  }
  return withTimeLimit(patience, answer, signal).catch(error => {
    sent?.destroy()
    throw error
  })
}

const requestTo = (url: URL, address: string, signal: AbortSignal): ClientRequest => {
  const name = hostOf(url)
  const how = {
    host: address,
    port: url.port === "" ? undefined : Number(url.port),
    path: `${url.pathname}${url.search}`,
    headers: {host: url.host, accept: "*/*", "accept-encoding": "identity", "user-agent": "svc"},
    agent: false,
    signal,
  } as const
  if (url.protocol === "http:") return requestPlain(how)
  // The certificate belongs to the name, not to the address.
  return requestSecure(isIP(name) > 0 ? how : {...how, servername: name})
}

const sourceOf = (answer: IncomingMessage, {host}: URL): Source => {
  const {statusCode: status = 0, headers} = answer
  const encoding = headers["content-encoding"] ?? "identity"
  const wrong =
    status !== 200
      ? `answered ${status}`
      : encoding !== "identity"
        ? `sent the file compressed (${encoding})`
        : undefined
  if (wrong !== undefined) {
    answer.destroy()
    throw new Problem("file_unavailable", `${host} ${wrong}`)
  }
  const length = Number(headers["content-length"] ?? Number.NaN)
  const type = headers["content-type"]
  return {
    body: streamOf(answer),
    ...(Number.isSafeInteger(length) ? {size: length} : {}),
    ...(type === undefined ? {} : {type}),
  }
}

/** Reads as fast as the reader asks; the rest waits in the server. */
const streamOf = (answer: IncomingMessage): ReadableStream<Uint8Array> => {
  // The reader sees a failure. Without a reader it must not end the process.
  answer.on("error", () => {})
  const chunks: AsyncIterator<Uint8Array> = answer[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>(
    {
      pull: async controller => {
        const {done, value} = await chunks.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: () => void answer.destroy(),
    },
    {highWaterMark: 0},
  )
}
