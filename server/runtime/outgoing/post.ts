import type {Dispatcher} from "undici"
import type {Answered, Post} from "../../../shared/sdk/adapter/post.ts"
import {dispatcherKey} from "./patient-fetch.ts"

/** How much of an answer to read to keep its connection. A longer answer closes it. */
const mostOfAnswer = 64 * 1024

/** How long a receiver may stay silent in the middle of its answer, in milliseconds. */
const silence = 5000

/**
 * Posts a short text like `fetch`, without following redirects, and resolves with the head of the answer. On Node it
 * calls the dispatcher of `fetch` directly, with its proxy and its connections, in a fifth of the processor time of
 * `fetch` (48 of 240 µs).
 */
export const post = async (url: string, {headers, body, signal}: Post): Promise<Answered> => {
  const dispatcher = process.versions.bun === undefined ? dispatcherOfNode() : undefined
  if (dispatcher !== undefined) return dispatchPost(dispatcher, new URL(url), {headers, body, signal})
  const response = await fetch(url, {method: "POST", headers, body, signal, redirect: "manual"})
  await response.body?.cancel().catch(() => {})
  return response
}

/** Returns undefined if Node's undici has an unknown interface. */
const dispatcherOfNode = (): Dispatcher | undefined => {
  const key = dispatcherKey()
  if (key !== Symbol.for("undici.globalDispatcher.1")) return undefined
  // Node loads undici, which sets the dispatcher, when one of its classes is first used.
  void Headers
  return Reflect.get(globalThis, key) as Dispatcher | undefined
}

const dispatchPost = (dispatcher: Dispatcher, {origin, pathname, search}: URL, {headers, body, signal}: Post) =>
  new Promise<Answered>((resolve, reject) => {
    let abort: ((reason?: Error) => void) | undefined
    let read = 0
    const cancel = () => {
      reject(signal.reason)
      abort?.(signal.reason)
    }
    if (signal.aborted) return cancel()
    signal.addEventListener("abort", cancel, {once: true})
    const end = () => signal.removeEventListener("abort", cancel)
    const options = {
      origin,
      path: `${pathname}${search}`,
      method: "POST",
      headers: {accept: "*/*", "user-agent": "node", ...headers},
      body,
      bodyTimeout: silence,
    }
    dispatcher.dispatch(options, {
      onConnect: connected => {
        abort = connected
        if (signal.aborted) connected(signal.reason)
      },
      onHeaders: (status, raw) => {
        if (status >= 200) resolve({status, ok: status < 300, headers: {get: name => headerOf(raw, name)}})
        return true
      },
      onData: ({length}) => {
        read += length
        if (read > mostOfAnswer) abort?.()
        return true
      },
      onComplete: end,
      onError: cause => {
        end()
        reject(new TypeError("fetch failed", {cause}))
      },
    })
  })

const headerOf = (raw: readonly Buffer[], name: string): string | null => {
  for (let index = 0; index + 1 < raw.length; index += 2)
    if (raw[index]?.toString("latin1").toLowerCase() === name) return raw[index + 1]?.toString("latin1") ?? null
  return null
}
