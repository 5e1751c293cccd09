import {setTimeout as sleep} from "node:timers/promises"
import {fromJson, toJson} from "../../shared/json.ts"
import type {Host} from "../host/host.ts"

/** The first pause before it looks again, the usual one, and that of a wait of seconds, in milliseconds. */
const pauses = {first: 2, usual: 20, longest: 200} as const

/** Resolves to the first result that is neither undefined nor false; throws after so many milliseconds, naming `what`. */
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
    if (waited > limit) throw new Error(`waited ${limit / 1000} s in vain for ${what}`)
    await sleep(pause)
    pause = Math.min(pause * 1.5, Math.max(pauses.usual, waited / 10), pauses.longest)
  }
}

export interface Asked {
  readonly url: string
  readonly token: string
  /** Beside the token and the type of the body. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A Host's answer, with `body` by POST. */
export const askHost = ({url, token, headers}: Asked, path: string, body?: unknown): Promise<Response> =>
  fetch(`${url}${path}`, {
    headers: {authorization: `Bearer ${token}`, "content-type": "application/json", ...headers},
    ...(body === undefined ? {} : {method: "POST", body: toJson(body)}),
  })

/** What the Host answers. Throws it where it is not 2xx. */
export const askFor = async <T>(host: Asked, path: string, body?: unknown): Promise<T> => {
  const answer = await askHost(host, path, body)
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`)
  return fromJson(text) as T
}

/** What a Host in this process answers. Throws it where it is not 2xx. */
export const ask = <T>(host: Pick<Host, "url" | "token">, path: string, body?: unknown): Promise<T> =>
  askFor({url: host.url, token: host.token?.reveal() ?? ""}, path, body)
