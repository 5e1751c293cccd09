import type {Hooks, Peer} from "crossws"
import type {Requests} from "./platform.ts"
import {type Defer, serveSockets} from "./serve.ts"

/** A fake whose bots connect by WebSocket. */
export abstract class SocketFake {
  abstract readonly requests: Requests
  url = ""
  protected readonly peers = new Set<Peer>()

  get connections(): number {
    return this.peers.size
  }

  /** Breaks the connections. */
  cut(): void {
    for (const peer of this.peers) peer.terminate()
  }

  /** Writes a raw text to each connection. */
  write(data: string): void {
    for (const peer of this.peers) peer.send(data)
  }

  protected async serve(
    defer: Defer,
    answer: (request: Request) => Promise<Response>,
    {opened, heard, closed}: {opened(peer: Peer): void; heard(peer: Peer, text: string): void; closed?(): void},
  ): Promise<void> {
    const hooks: Partial<Hooks> = {
      open: peer => {
        this.peers.add(peer)
        opened(peer)
      },
      message: (peer, message) => heard(peer, message.text()),
      close: peer => {
        this.peers.delete(peer)
        closed?.()
      },
    }
    this.url = await serveSockets(defer, answer, hooks)
  }
}
