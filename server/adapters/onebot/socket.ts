import {withDeadline} from "../../../shared/sdk/sdk.ts"
import type {Secret} from "./account.ts"
import {type Ask, wrongToken} from "./api.ts"
import {Talk} from "./talk.ts"

/** A connection to the implementation's WebSocket server. */
export interface Socket {
  readonly ask: Ask
  close(): void
}

export interface Listener {
  event(payload: Readonly<Record<string, unknown>>): void
  closed(error: Error, known?: {readonly since?: number}): void
}

/** The address of an implementation's server. */
export interface Server {
  readonly url: string
  readonly accessToken?: Secret | undefined
}

/** The timeout for the implementation to accept the connection, in milliseconds. */
const patience = 15_000

export const headersOf = ({accessToken}: Server): Record<string, string> =>
  accessToken === undefined ? {} : {authorization: `Bearer ${accessToken.reveal()}`}

/** Both runtimes accept headers, but the browser types lack them. */
type HeaderSocket = new (url: string, options: {headers: Record<string, string>}) => WebSocket

/** Connects. Throws a refusal if the implementation rejects the token. */
export const openSocket = async (server: Server, listener: Listener, signal: AbortSignal): Promise<Socket> => {
  const socket = new (WebSocket as unknown as HeaderSocket)(server.url, {headers: headersOf(server)})
  const ended = new AbortController()
  const talk = new Talk({
    send: text => {
      if (socket.readyState !== WebSocket.OPEN) throw new Error("the connection is closed")
      socket.send(text)
    },
    event: payload => listener.event(payload),
    ended: ended.signal,
  })
  socket.addEventListener("message", ({data}) => talk.hear(data))
  try {
    await withDeadline(patience, limit => opened(socket, limit), signal)
  } catch (error) {
    socket.close()
    if (await withDeadline(5000, limit => refusesToken(server, limit), signal)) throw wrongToken()
    throw error
  }
  socket.addEventListener("close", ({code, reason}) => {
    ended.abort()
    const why = talk.isRefused ? ": it rejected the access token" : reason === "" ? "" : `: ${reason}`
    listener.closed(new Error(`the implementation closed the connection (${code})${why}`))
  })
  return {ask: talk.ask, close: () => socket.close()}
}

const opened = (socket: WebSocket, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`could not reach the implementation: ${why}`))
    socket.addEventListener("open", () => resolve(), {once: true})
    socket.addEventListener("error", () => fail("the connection was refused"), {once: true})
    socket.addEventListener("close", ({code}) => fail(`the connection was closed (${code})`), {once: true})
    signal.addEventListener("abort", () => fail("it does not answer"), {once: true})
  })

/** A WebSocket does not report the status of its handshake, but a plain request to the same address does. */
const refusesToken = async (server: Server, signal: AbortSignal): Promise<boolean> => {
  const url = server.url.replace(/^ws/, "http")
  const answer = await fetch(url, {headers: headersOf(server), redirect: "manual", signal}).catch(() => undefined)
  await answer?.body?.cancel().catch(() => {})
  return answer?.status === 401 || answer?.status === 403
}
