import type {Endpoint, PlatformSocket} from "../../../shared/sdk/sdk.ts"

/** A connection of the adapter, as the listener passes it. */
export interface Peer {
  send(data: string): unknown
  close(code?: number, reason?: string): void
  terminate(): void
}

/** Returns a JSON value in which `move` has replaced each address of a WebSocket under this key. */
export const moveSockets = (value: unknown, name: string, move: (address: string) => string): unknown => {
  if (Array.isArray(value)) return value.map(item => moveSockets(item, name, move))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key === name && typeof item === "string" && /^wss?:\/\//.test(item) ? move(item) : moveSockets(item, name, move),
    ]),
  )
}

/** The largest message of a platform, in bytes. */
const largest = 16 * 1024 * 1024

interface Bridge {
  readonly upstream: Promise<PlatformSocket | undefined>
  last: Promise<unknown>
}

/** Connects each WebSocket of the adapter to the platform. `heard` sees each message, and may change it. */
export class Bridges {
  readonly #open: Endpoint["openSocket"]
  readonly #signal: AbortSignal
  readonly #heard: (from: "adapter" | "platform", text: string) => string
  readonly #bridges = new Map<Peer, Bridge>()

  constructor(
    open: Endpoint["openSocket"],
    signal: AbortSignal,
    heard: (from: "adapter" | "platform", text: string) => string,
  ) {
    this.#open = open
    this.#signal = signal
    this.#heard = heard
  }

  connect(peer: Peer, address: string): void {
    const end = (code: number, reason: string) => {
      // No other code below 3000 can be sent.
      if (code === 1000 || code >= 3000) peer.close(code, reason)
      else peer.terminate()
    }
    const handler = {
      message: (data: string | Uint8Array) => {
        if (typeof data === "string") peer.send(this.#heard("platform", data))
      },
      close: ({code, reason}: {readonly code: number; readonly reason: string}) => end(code, reason),
    }
    const upstream = this.#open(address, {signal: this.#signal, most: largest}, handler).catch(() => {
      peer.terminate()
      return undefined
    })
    this.#bridges.set(peer, {upstream, last: upstream})
  }

  /** Passes a message of the adapter on, after the earlier ones. */
  message(peer: Peer, text: string): void {
    const bridge = this.#bridges.get(peer)
    if (bridge === undefined) return
    const passed = this.#heard("adapter", text)
    bridge.last = bridge.last.then(async () => (await bridge.upstream)?.send(passed)).catch(() => {})
  }

  close(peer: Peer, code: number | undefined): void {
    const bridge = this.#bridges.get(peer)
    this.#bridges.delete(peer)
    const isSendable = code === 1000 || (code !== undefined && code >= 3000)
    void bridge?.last.then(async () => (await bridge.upstream)?.close(isSendable ? code : 1000)).catch(() => {})
  }
}
