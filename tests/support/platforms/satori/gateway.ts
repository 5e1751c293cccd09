import {createServer, type IncomingMessage, type ServerResponse} from "node:http"
import {Readable} from "node:stream"
import {buffer} from "node:stream/consumers"
import type {Peer} from "crossws"
import nodeSockets from "crossws/adapters/node"

/** What stands in front of a real Satori server, and passes on what comes: it can cut, repeat, and ask to wait. */
export interface Gateway {
  readonly url: string
  /** WebSockets that clients have open. */
  readonly connections: number
  /** Ends them in the middle of things. */
  cut(): void
  /** Sends the last event of a message to clients once more. */
  repeat(): void
  /** Answers the next `message.create` with 429, and asks to wait for so many milliseconds. */
  slowDown(milliseconds: number): void
}

/** Of one hop, or of the body as it was encoded. */
const own: ReadonlySet<string> = new Set(["host", "connection", "content-length", "transfer-encoding", "content-encoding"])

const headersOf = (entries: Iterable<readonly [string, unknown]>): [string, string][] =>
  [...entries].filter(([name]) => !own.has(name)).map(([name, value]) => [name, String(value)])

/** `target` is the address of the real server, without a slash at its end. */
export const layGateway = async (target: string, defer: (undo: () => unknown) => void): Promise<Gateway> => {
  const relays = new Map<Peer, WebSocket>()
  let pause: number | undefined
  let last: string | undefined

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    if (pause !== undefined && request.url?.endsWith("/message.create") === true) {
      response.writeHead(429, {"retry-after": String(pause / 1000)}).end()
      pause = undefined
      return
    }
    const body = await buffer(request)
    const given = await fetch(`${target}${request.url}`, {
      method: request.method ?? "GET",
      headers: headersOf(Object.entries(request.headers)),
      ...(body.length === 0 ? {} : {body: new Uint8Array(body)}),
    })
    response.writeHead(given.status, Object.fromEntries(headersOf(given.headers)))
    if (given.body === null) response.end()
    else Readable.fromWeb(given.body as never).pipe(response)
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
  const sockets = nodeSockets({
    hooks: {
      open: relay,
      message: (peer, message) => {
        const far = relays.get(peer)
        const text = message.text()
        if (far?.readyState === WebSocket.OPEN) far.send(text)
        else far?.addEventListener("open", () => far.send(text), {once: true})
      },
      close: peer => {
        relays.get(peer)?.close()
        relays.delete(peer)
      },
    },
  })
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  server.on("upgrade", (request, socket, head) => void sockets.handleUpgrade(request, socket, head))
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve))
  const cut = () => {
    for (const peer of relays.keys()) peer.terminate()
  }
  defer(() => {
    cut()
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    get connections() {
      return relays.size
    },
    cut,
    repeat: () => {
      for (const peer of relays.keys()) if (last !== undefined) peer.send(last)
    },
    slowDown: milliseconds => {
      pause = milliseconds
    },
  }
}
