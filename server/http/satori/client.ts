import {withDeadline} from "../../../shared/sdk/adapter/deadline.ts"
import type {Peer} from "../../runtime/runtime.ts"
import type {Feed} from "./feed.ts"
import type {Frame} from "./protocol/frame.ts"
import {
  type Closing,
  closing,
  type KnownLogin,
  type LoginChange,
  opcode,
  showLogin,
  showLoginChange,
  signal,
} from "./protocol/protocol.ts"

/** While more than `bytes` wait for a client, svc sends no more. It has `patience` milliseconds to read them. */
const buffer = {bytes: 256 * 1024, patience: 30_000, poll: 25} as const

/** How long a client has to answer a close, in milliseconds. */
const closePatience = 2000

/** One connection of a Satori application. `#sn` is that of the last event that it has, or that svc sent. */
export class Client {
  readonly #peer: Peer
  readonly #feed: Feed
  /** The logins that the client knows, by `sn`. */
  readonly #logins = new Set<number>()
  #sn = 0
  #isReady = false
  isClosed = false
  #following: Promise<void> | undefined
  /** Whether the client has sent the token. */
  isIdentified = false
  /** When the connection was opened, or the client last sent something, by the monotonic clock. */
  heardAt = performance.now()

  constructor(peer: Peer, feed: Feed) {
    this.#peer = peer
    this.#feed = feed
  }

  /** The `sn` of the last event that the client has, or undefined before `ready`. */
  get has(): number | undefined {
    return this.#isReady ? this.#sn : undefined
  }

  pong(): void {
    this.#send(signal(opcode.pong, {}))
  }

  /** Sends the logins. The next `follow` sends the events after `sn`. */
  ready(logins: readonly KnownLogin[], sn: number): void {
    this.#sn = sn
    this.#isReady = true
    for (const login of logins) this.#logins.add(login.sn)
    this.#send(signal(opcode.ready, {logins: logins.map(showLogin), proxy_urls: []}))
  }

  tell(change: LoginChange): void {
    if (!this.#isReady) return
    if (change.type === "login-removed") this.#logins.delete(change.login.sn)
    else this.#logins.add(change.login.sn)
    this.#send(showLoginChange(change, this.#sn))
  }

  /** Sends the missing events at the client's pace; resolves when it has all. Rejects if the inbox cannot be read. */
  follow(): Promise<void> {
    this.#following ??= this.#follow().finally(() => {
      this.#following = undefined
    })
    return this.#following
  }

  close(why: Closing): void {
    const {code, reason} = closing[why]
    this.closed()
    this.#peer.close(code, reason)
    setTimeout(() => this.#peer.terminate(), closePatience).unref()
  }

  closed(): void {
    this.isClosed = true
    this.#isReady = false
  }

  async #follow(): Promise<void> {
    while (this.#isReady) {
      const next = this.#feed.after(this.#sn)
      const frames = next instanceof Promise ? await next : next
      if (frames.length === 0) return
      for (const frame of frames) {
        if (this.#peer.bufferedAmount > buffer.bytes) await this.#drain()
        if (!this.#isReady) return
        this.#deliver(frame)
      }
    }
  }

  #deliver({sn, login, text}: Frame): void {
    this.#sn = sn
    if (text === "") return
    if (!this.#logins.has(login.sn)) this.tell({type: "login-added", login})
    this.#send(text)
  }

  async #drain(): Promise<void> {
    const drained = (signal: AbortSignal) =>
      this.#peer.waitForDrain({threshold: buffer.bytes / 2, pollInterval: buffer.poll, signal})
    await withDeadline(buffer.patience, drained).catch(() => {
      if (!this.isClosed) this.close("slow")
    })
  }

  #send(text: string): void {
    if (!this.isClosed) this.#peer.send(text)
  }
}
