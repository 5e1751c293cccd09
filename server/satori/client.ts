import type {Peer} from "../runtime/runtime.ts"
import type {Feed} from "./feed.ts"
import type {Frame} from "./frame.ts"
import {
  type Closing,
  closing,
  type KnownLogin,
  type LoginChange,
  opcode,
  showLogin,
  showLoginChange,
  signal,
} from "./protocol.ts"

/** A client gets no more while so many bytes wait to be taken by it; it has so many milliseconds to take them. */
const buffer = {bytes: 256 * 1024, patience: 30_000, poll: 25} as const

/** After a close so many milliseconds are left to a client that does not answer it. */
const closePatience = 2000

/** One connection of a Satori application. `sn` is of the last event that it was sent, or says that it has. */
export class Client {
  readonly #peer: Peer
  readonly #feed: Feed
  /** The logins that it knows of, by their `sn`. */
  readonly #logins = new Set<number>()
  #sn = 0
  #isReady = false
  #isClosed = false
  #following: Promise<void> | undefined
  /** It has shown the token. */
  isIdentified = false
  /** When it was opened, or last heard, by the monotonic clock. */
  heardAt = performance.now()

  constructor(peer: Peer, feed: Feed) {
    this.#peer = peer
    this.#feed = feed
  }

  /** The `sn` of the last event that it has; undefined while it has told none. */
  get has(): number | undefined {
    return this.#isReady ? this.#sn : undefined
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  pong(): void {
    this.#send(signal(opcode.pong, {}))
  }

  /** Tells the logins; events after `sn` come with the next `follow`. */
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

  /** Sends what the client does not have yet, at its pace. Resolves when it has all; rejects where the inbox fails. */
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

  /** The connection has ended. */
  closed(): void {
    this.#isClosed = true
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
    const signal = AbortSignal.timeout(buffer.patience)
    await this.#peer.waitForDrain({threshold: buffer.bytes / 2, pollInterval: buffer.poll, signal}).catch(() => {
      if (!this.#isClosed) this.close("slow")
    })
  }

  #send(text: string): void {
    if (!this.#isClosed) this.#peer.send(text)
  }
}
