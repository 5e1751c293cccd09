import type {Peer} from "crossws"
import {serveSockets} from "../../../../server/testing/platforms/fake/serve.ts"

/** A proxy to a real Satori server. A test can cut connections, repeat events, and ask clients to wait. */
export interface Gateway {
  readonly url: string
  readonly connections: number
  /** Ends them abruptly. */
  cut(): void
  repeat(): void
  /** Answers the next `message.create` with 429, with this many milliseconds to wait. */
  slowDown(milliseconds: number): void
}

/** Headers of a single hop, or of the encoding of the body. */
const own: ReadonlySet<string> = new Set([
  "host",
  "connection",
  "content-length",
  "transfer-encoding",
  "content-encoding",
])

const passed = (headers: Headers): Headers => new Headers([...headers].filter(([name]) => !own.has(name)))

/** `target` is the address of the real server, without a trailing slash. */
export const layGateway = async (target: string, defer: (undo: () => unknown) => void): Promise<Gateway> => {
  const relays = new Map<Peer, WebSocket>()
  let pause: number | undefined
  let last: string | undefined

  const pass = async (request: Request): Promise<Response> => {
    const {pathname, search} = new URL(request.url)
    if (pause !== undefined && pathname.endsWith("/message.create")) {
      const headers = {"retry-after": String(pause / 1000)}
      pause = undefined
      return new Response(null, {status: 429, headers})
    }
    const body = await request.arrayBuffer()
    const {method} = request
    const given = await fetch(`${target}${pathname}${search}`, {
      method,
      headers: passed(request.headers),
      ...(body.byteLength === 0 ? {} : {body}),
    })
    return new Response(given.body, {status: given.status, headers: passed(given.headers)})
  }

  const relay = (peer: Peer) => {
    const far = new WebSocket(`${target.replace("http", "ws")}${new URL(peer.request.url).pathname}`)
    relays.set(peer, far)
    far.addEventListener("message", ({data}) => {
      if (String(data).includes('"message-created"')) last = String(data)
      peer.send(String(data))
    })
    far.addEventListener("close", ({code, reason}) => peer.close(code === 1006 ? 1011 : code, reason))
  }
  const socket = {
    open: relay,
    message: (peer: Peer, message: {text(): string}) => {
      const far = relays.get(peer)
      const text = message.text()
      if (far?.readyState === WebSocket.OPEN) far.send(text)
      else far?.addEventListener("open", () => far.send(text), {once: true})
    },
    close: (peer: Peer) => {
      relays.get(peer)?.close()
      relays.delete(peer)
    },
  }
  const answer = (request: Request) => pass(request).catch(() => new Response(null, {status: 502}))
  const url = await serveSockets(defer, answer, socket)
  return {
    url,
    get connections() {
      return relays.size
    },
    cut: () => {
      for (const peer of relays.keys()) peer.terminate()
    },
    repeat: () => {
      for (const peer of relays.keys()) if (last !== undefined) peer.send(last)
    },
    slowDown: milliseconds => {
      pause = milliseconds
    },
  }
}
