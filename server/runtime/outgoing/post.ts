import type {Answered, Post} from "../../../shared/sdk/adapter/post.ts"
import {dispatcherKey} from "./patient-fetch.ts"

/** So much of an answer is read for the sake of its connection, which is closed otherwise. */
const mostOfAnswer = 64 * 1024

/** So long a receiver may keep silent in the middle of its answer, in milliseconds. */
const silence = 5000

/** What of undici's dispatcher a post needs; its documentation calls these the handler's events. */
interface Handler {
  onConnect(abort: (reason?: Error) => void): void
  onHeaders(status: number, headers: readonly Buffer[]): boolean
  onData(chunk: Buffer): boolean
  onComplete(): void
  onError(error: Error): void
}

interface Dispatcher {
  dispatch(options: object, handler: Handler): unknown
}

/**
 * Posts a short text, as `fetch` does without following redirects, and resolves with the head of the answer. On Node it asks the
 * dispatcher of `fetch` itself, with its proxy and its connections: that takes a fifth of the processor time of `fetch` (48 of 240 µs).
 */
export const post = async (url: string, {headers, body, signal}: Post): Promise<Answered> => {
  const dispatcher = process.versions.bun === undefined ? dispatcherOfNode() : undefined
  if (dispatcher !== undefined) return dispatchPost(dispatcher, new URL(url), {headers, body, signal})
  const response = await fetch(url, {method: "POST", headers, body, signal, redirect: "manual"})
  await response.body?.cancel().catch(() => {})
  return response
}

/** Undefined where the undici inside of Node has an interface that is not known here. */
const dispatcherOfNode = (): Dispatcher | undefined => {
  const key = dispatcherKey()
  if (key !== Symbol.for("undici.globalDispatcher.1")) return undefined
  // Node loads undici, which sets it, at the first use of one of its classes.
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
