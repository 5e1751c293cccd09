import type {Peer} from "crossws"
import {serveSockets} from "../../../../server/testing/platforms/fake/serve.ts"
import {until} from "../../host/process.ts"

interface Asked {
  /** The path after `/satori/v1/`. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface StandIn {
  /** Ends with `/satori`. */
  readonly url: string
  /** The bodies of IDENTIFY, in order. */
  readonly identified: readonly {readonly token?: string; readonly sn?: number}[]
  readonly asked: readonly Asked[]
  /** The addresses in READY that only the server may open. */
  proxies: readonly string[]
  /** Returns the answer to a request; undefined for 404. */
  answer: (asked: Asked) => Response | undefined
  /** Waits until this many clients have identified and are connected. */
  clients(count: number): Promise<unknown>
  /** Sends a raw text or raw bytes to each client. */
  sendText(text: string | Uint8Array): void
  send(op: number, body: unknown): void
  /** A person says something in `hall`; `sn` is the number of the event. */
  say(sn: number, text: string): void
}

const login = {sn: 7, platform: "fake", user: {id: "bot", name: "Bot"}, status: 1, features: ["message.create"]}

/**
 * A stand-in for a server of Satori v1, written for the tests from the public documentation (https://satori.chat). It
 * has one login, keeps no events, answers PING, and sends whatever a test wants.
 */
export const startStandInServer = async (defer: (undo: () => unknown) => void): Promise<StandIn> => {
  const peers = new Set<Peer>()
  const identified: {token?: string; sn?: number}[] = []
  const asked: Asked[] = []
  const tell = (peer: Peer, op: number, body: unknown) => void peer.send(JSON.stringify({op, body}))
  const hear = (peer: Peer, {op, body}: {op: number; body?: {token?: string; sn?: number}}) => {
    if (op === 1) tell(peer, 2, {})
    if (op !== 3) return
    identified.push(body ?? {})
    tell(peer, 4, {logins: [login], proxy_urls: server.proxies})
    peers.add(peer)
  }
  const answer = async (request: Request) => {
    const path = request.url.slice(request.url.indexOf("/satori/v1/") + "/satori/v1/".length)
    const one = {path, headers: Object.fromEntries(request.headers), body: await request.text()}
    asked.push(one)
    return server.answer(one) ?? new Response(null, {status: 404})
  }
  const url = await serveSockets(defer, answer, {
    message: (peer, message) => hear(peer, JSON.parse(message.text())),
    close: peer => void peers.delete(peer),
  })
  const server: StandIn = {
    url: `${url}/satori`,
    identified,
    asked,
    proxies: [],
    answer: () => undefined,
    clients: count => until(`${count} clients`, () => peers.size === count),
    sendText: text => {
      for (const peer of peers) peer.send(text)
    },
    send: (op, body) => server.sendText(JSON.stringify({op, body})),
    say: (sn, content) =>
      server.send(0, {
        sn,
        type: "message-created",
        timestamp: Date.now(),
        login: {sn: 7, platform: "fake", user: {id: "bot"}},
        channel: {id: "hall", type: 0},
        user: {id: "ann"},
        message: {id: `m${sn}`, content},
      }),
  }
  return server
}
