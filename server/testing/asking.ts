import {setTimeout as sleep} from "node:timers/promises"
import {createClient} from "../../shared/api/operations/client.ts"
import {fromJson, toJson} from "../../shared/json.ts"
import {readStart, readText} from "../../shared/sdk/adapter/answer.ts"
import type {Host} from "../host/open/host.ts"

/** The first pause between polls, the usual one, and the longest one after seconds of waiting, in milliseconds. */
const pauses = {first: 2, usual: 20, longest: 200} as const

/** Resolves to the first result that is neither undefined nor false. After `limit` milliseconds, throws with `what`. */
export const until = async <T>(
  what: string,
  limit: number,
  find: () => Promise<T | undefined | false> | T | undefined | false,
): Promise<T> => {
  const began = performance.now()
  for (let pause: number = pauses.first; ; ) {
    const found = await find()
    if (found !== undefined && found !== false) return found
    const waited = performance.now() - began
    if (waited > limit) throw new Error(`timed out after ${limit / 1000} s, waiting for ${what}`)
    await sleep(pause)
    pause = Math.min(pause * 1.5, Math.max(pauses.usual, waited / 10), pauses.longest)
  }
}

/** The largest answer that is read, in bytes. */
const largest = 64 * 1024 * 1024

export interface Asked {
  readonly url: string
  readonly token: string
  /** Headers in addition to the token and the content type. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Returns a Host's response. Sends `body` with POST. */
export const askHost = ({url, token, headers}: Asked, path: string, body?: unknown): Promise<Response> =>
  fetch(`${url}${path}`, {
    headers: {authorization: `Bearer ${token}`, "content-type": "application/json", ...headers},
    ...(body === undefined ? {} : {method: "POST", body: toJson(body)}),
  })

/** Resolves to the bytes of a response. */
export const readBytes = async ({body}: Response) => (await readStart(body, largest)).bytes

/** Returns the content of the Host's response. Throws it if it is not 2xx. */
export const askFor = async <T>(host: Asked, path: string, body?: unknown): Promise<T> => {
  const answer = await askHost(host, path, body)
  const text = await readText(answer, largest)
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`)
  return fromJson(text) as T
}

/** Returns the content of the response of a Host in this process. Throws it if it is not 2xx. */
export const ask = <T>(host: Pick<Host, "url" | "token">, path: string, body?: unknown): Promise<T> =>
  askFor({url: host.url, token: host.token?.reveal() ?? ""}, path, body)

/** The operations of the API, asked by `ask`. */
export const apiBy = (ask: (path: string, body: unknown) => Promise<unknown>) =>
  createClient((method, path, body = {}) => ask(path, method === "GET" ? undefined : body))
