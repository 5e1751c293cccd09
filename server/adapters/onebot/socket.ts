import {type CheckTools, fetchWhole, readText, type SocketRefused} from "../../../shared/sdk/sdk.ts"
import type {Secret} from "./account.ts"
import {type Ask, isPage, wrongToken} from "./api.ts"
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

export const headersOf = ({accessToken}: Server): Record<string, string> =>
  accessToken === undefined ? {} : {authorization: `Bearer ${accessToken.reveal()}`}

/** Whether the implementation rejects the token by HTTP too, rather than a proxy: a WebSocket shows no body. */
const isRefusedByHttp = async (server: Server, signal: AbortSignal): Promise<boolean> => {
  const init = {headers: headersOf(server), redirect: "manual", signal} as const
  const answer = await fetchWhole(server.url.replace(/^ws/, "http"), init).catch(() => undefined)
  return (answer?.status === 401 || answer?.status === 403) && !isPage(await readText(answer).catch(() => "<"))
}

/** Connects. Throws a refusal if the implementation rejects the token. */
export const openSocket = async (
  server: Server,
  listener: Listener,
  {openSocket, signal}: Pick<CheckTools, "openSocket" | "signal">,
): Promise<Socket> => {
  const opening = openSocket(
    server.url,
    {headers: headersOf(server), signal},
    {
      message: data => talk.hear(data),
      close: ({code, reason}) => {
        const why = talk.isRefused ? ": it rejected the access token" : reason === "" ? "" : `: ${reason}`
        listener.closed(new Error(`the implementation closed the connection (${code})${why}`))
      },
    },
  )
  const ended = new AbortController()
  const talk = new Talk({
    send: async text => (await opening).send(text),
    event: payload => listener.event(payload),
    ended: ended.signal,
  })
  const socket = await opening.catch(async (error: Error & Partial<SocketRefused>) => {
    throw error.status === 401 || error.status === 403
      ? wrongToken(!(await isRefusedByHttp(server, signal)))
      : new Error(`could not reach the implementation: ${error.message}`)
  })
  socket.signal.addEventListener("abort", () => ended.abort(), {once: true})
  return {ask: talk.ask, close: () => socket.close()}
}
