import type {Log} from "../../../shared/log.ts"
import {messageOf} from "../../../shared/problems.ts"
import type {PlatformSocket, SocketHandler} from "../../../shared/sdk/adapter/socket.ts"
import {withTimeLimit} from "../../runtime/flow/time-limit.ts"
import type {Peer} from "../../runtime/runtime.ts"

/** The limit of messages in handling: their number, and their size in bytes or characters. */
const unsettled = {messages: 1000, size: 16 * 1024 * 1024} as const

/** `send` waits while more than `bytes` are buffered: `patience`, and a millisecond per `bytesPerMillisecond`. */
const buffer = {bytes: 256 * 1024, patience: 30_000, bytesPerMillisecond: 64, poll: 25} as const

/** How long a platform has to answer a close, in milliseconds. */
const closePatience = 2000

export interface ConnectionOptions {
  readonly endpoint: string
  readonly handler: SocketHandler
  readonly log: Log
  /** Runs the adapter's code in the name of its plugin. */
  readonly own: <T>(work: () => T) => T
  /** When it aborts, the connection closes. */
  readonly attempt: AbortSignal
}

/** One WebSocket that a platform opened, between the listener and its adapter. */
export class Connection implements PlatformSocket {
  readonly #peer: Peer
  readonly #options: ConnectionOptions
  readonly #ended = new AbortController()
  /** Settles after all pending messages, in the order of `send`. */
  #sending: Promise<void> = Promise.resolve()
  #isClosing = false
  #unsettled = 0
  #unsettledSize = 0

  constructor(peer: Peer, options: ConnectionOptions) {
    this.#peer = peer
    this.#options = options
  }

  get signal(): AbortSignal {
    return this.#ended.signal
  }

  open(): void {
    const {attempt, handler} = this.#options
    if (attempt.aborted) this.#leave()
    else {
      attempt.addEventListener("abort", this.#leave, {once: true})
      this.#do(() => handler.open?.(this))
    }
  }

  hear(data: string | Uint8Array): void {
    if (this.#isClosing) return
    if (this.#unsettled >= unsettled.messages || this.#unsettledSize + data.length > unsettled.size) {
      this.#options.log.warn(`${this.#options.endpoint}: messages arrive faster than the adapter handles them`)
      this.close(1013, "too fast")
      return
    }
    this.#unsettled++
    this.#unsettledSize += data.length
    const settled = () => {
      this.#unsettled--
      this.#unsettledSize -= data.length
    }
    this.#do(() => this.#options.handler.message(data, this), settled)
  }

  /** The connection has ended. */
  end(code: number, reason: string): void {
    if (this.#ended.signal.aborted) return
    const {attempt, handler} = this.#options
    attempt.removeEventListener("abort", this.#leave)
    this.#isClosing = true
    this.#ended.abort()
    this.#do(() => handler.close?.({code, reason}))
  }

  send(data: string | Uint8Array): Promise<void> {
    const sent = this.#sending.then(() => this.#send(data))
    this.#sending = sent.catch(() => {})
    return sent
  }

  close(code = 1000, reason = ""): void {
    if (this.#isClosing) return
    this.#isClosing = true
    this.#peer.close(code, reason)
    this.cutSoon()
  }

  /** Terminates the connection if the platform does not end it. */
  cutSoon(): void {
    const cut = setTimeout(() => this.#peer.terminate(), closePatience)
    cut.unref()
    this.signal.addEventListener("abort", () => clearTimeout(cut), {once: true})
  }

  readonly #leave = (): void => this.close(1001, "the endpoint is closed")

  async #send(data: string | Uint8Array): Promise<void> {
    if (this.#isClosing) throw new Error("the connection has ended")
    this.#peer.send(data)
    const {bufferedAmount} = this.#peer
    if (bufferedAmount <= buffer.bytes) return
    const patience = buffer.patience + bufferedAmount / buffer.bytesPerMillisecond
    const drain = (signal: AbortSignal) =>
      this.#peer.waitForDrain({threshold: buffer.bytes, pollInterval: buffer.poll, signal})
    try {
      await withTimeLimit(patience, drain, this.signal)
    } catch (cause) {
      if (this.signal.aborted) throw new Error("the connection has ended", {cause})
      this.#isClosing = true
      this.#peer.terminate()
      throw new Error("the platform reads too slowly", {cause})
    }
  }

  /** Calls the adapter, then `settled` once the result has settled. */
  #do(call: () => unknown, settled: () => void = () => {}): void {
    const fail = (error: unknown) => {
      const {log, endpoint} = this.#options
      log.error(`${endpoint}: a WebSocket failed: ${messageOf(error)}`, {error})
      this.close(1011, "failed")
    }
    try {
      const result = this.#options.own(call)
      if (result instanceof Promise) void result.catch(fail).finally(settled)
      else settled()
    } catch (error) {
      settled()
      fail(error)
    }
  }
}
