import {randomUUID} from "node:crypto"
import type {AccountSettings} from "./account.ts"
import {type Ask, isRecord, resultOf, wrongToken} from "./api.ts"

/** A connection to the implementation's WebSocket server: actions and events over one (OneBot v11, "communication/ws"). */
export interface Socket {
  readonly ask: Ask
  close(): void
}

export interface Listener {
  event(payload: Readonly<Record<string, unknown>>): void
  closed(error: Error): void
}

/** How long the implementation may take to let the client in, in milliseconds. */
const patience = 15_000

export const headersOf = ({accessToken}: AccountSettings): Record<string, string> =>
  accessToken === undefined ? {} : {authorization: `Bearer ${accessToken.reveal()}`}

/** Both runtimes take headers, which the types of browsers lack. */
type HeaderSocket = new (url: string, options: {headers: Record<string, string>}) => WebSocket

/** Connects. Throws a refusal where the token is refused. */
export const openSocket = async (
  account: AccountSettings,
  listener: Listener,
  signal: AbortSignal,
): Promise<Socket> => {
  const socket = new (WebSocket as unknown as HeaderSocket)(account.url, {headers: headersOf(account)})
  const waiting = new Map<string, (answer: unknown) => void>()
  const ended = new AbortController()
  let isRefused = false
  socket.addEventListener("message", ({data}) => {
    const payload = parse(data)
    if (payload === undefined) return
    const answered = typeof payload.echo === "string" ? waiting.get(payload.echo) : undefined
    if (answered !== undefined) answered(payload)
    else if (payload.post_type !== undefined) listener.event(payload)
    else isRefused ||= payload.retcode === 1401 || payload.retcode === 1403
  })
  try {
    await opened(socket, AbortSignal.any([signal, AbortSignal.timeout(patience)]))
  } catch (error) {
    socket.close()
    if (await refusesToken(account, signal)) throw wrongToken()
    throw error
  }
  socket.addEventListener("close", ({code, reason}) => {
    ended.abort()
    const why = isRefused ? ": it refuses the access token" : reason === "" ? "" : `: ${reason}`
    listener.closed(new Error(`the implementation closed the connection (${code})${why}`))
  })
  const ask: Ask = async (action, params, askSignal) => {
    if (socket.readyState !== WebSocket.OPEN) throw isRefused ? wrongToken() : new Error("the connection is gone")
    const echo = randomUUID()
    const over = AbortSignal.any([askSignal, ended.signal])
    try {
      const answer = new Promise<unknown>((resolve, reject) => {
        waiting.set(echo, resolve)
        const fail = () =>
          reject(isRefused ? wrongToken() : new Error(`${action} was not answered; it may have been done`))
        if (over.aborted) fail()
        else over.addEventListener("abort", fail, {once: true})
      })
      socket.send(JSON.stringify({action, params, echo}))
      return resultOf(action, await answer)
    } finally {
      waiting.delete(echo)
    }
  }
  return {ask, close: () => socket.close()}
}

const opened = (socket: WebSocket, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`the implementation is not reached: ${why}`))
    socket.addEventListener("open", () => resolve(), {once: true})
    socket.addEventListener("error", () => fail("the connection was refused"), {once: true})
    socket.addEventListener("close", ({code}) => fail(`the connection was closed (${code})`), {once: true})
    signal.addEventListener("abort", () => fail("it does not answer"), {once: true})
  })

/** A WebSocket tells no status of its handshake: a plain request of the same address does. */
const refusesToken = async (account: AccountSettings, signal: AbortSignal): Promise<boolean> => {
  const url = account.url.replace(/^ws/, "http")
  const limit = AbortSignal.any([signal, AbortSignal.timeout(5000)])
  const answer = await fetch(url, {headers: headersOf(account), redirect: "manual", signal: limit}).catch(
    () => undefined,
  )
  await answer?.body?.cancel().catch(() => {})
  return answer?.status === 401 || answer?.status === 403
}

const parse = (data: unknown): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(typeof data === "string" ? data : "")
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}
