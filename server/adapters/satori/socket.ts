import {type CheckTools, refused} from "../../../shared/sdk/sdk.ts"
import {type AccountSettings, baseOf} from "./account.ts"
import type {Fields} from "./fields.ts"
import {opcode, readSignal, type ServerLogin} from "./protocol.ts"

/** The timeout for the connection and the answer to IDENTIFY, in milliseconds. */
const readyPatience = 15_000

/** The interval between two PINGs that Satori v1 requires, in milliseconds. */
const pingEvery = 10_000

/** In bytes. The server would repeat a larger signal at each connection. */
const largestSignal = 12 * 1024 * 1024

export interface Listener {
  event(event: Fields): void
  proxies(urls: readonly string[]): void
  /** Called for a message that is not a signal of this version. */
  strange(why: string): void
  /**
   * Called when the connection ends after READY. `since` is when it was last known to be good, in milliseconds since
   * 1970.
   */
  lost(error: Error, since?: number): void
}

export interface SocketOptions {
  /** The event after which to resume. */
  readonly sn?: number | undefined
  readonly listener: Listener
  readonly tools: Pick<CheckTools, "openSocket" | "signal">
  readonly defer: (undo: () => void) => void
  readonly pingEvery?: number
}

/**
 * Opens the event WebSocket and identifies. Resolves to the logins of READY; from then on, the listener gets events in
 * the server's order. Throws a refusal if the server rejects the token.
 */
export const openSocket = (
  account: Pick<AccountSettings, "url" | "token">,
  {sn, listener, tools: {openSocket, signal}, defer, pingEvery: every = pingEvery}: SocketOptions,
): Promise<readonly ServerLogin[]> => {
  let isReady = false
  return new Promise((resolve, reject) => {
    const beat = new Heartbeat(() => tell(opcode.ping))
    const end = (error: Error, since?: number) => {
      if (isReady) listener.lost(error, since)
      else reject(error)
    }
    const late = setTimeout(() => end(new Error("the server did not answer IDENTIFY in time")), readyPatience)
    const url = `${baseOf(account).replace(/^http/, "ws")}/v1/events`
    const opening = openSocket(
      url,
      {most: largestSignal, signal},
      {
        close: ({code, reason}) => {
          beat.stop()
          end(isReady ? closed(wordsOf(code, reason)) : notReady(code, reason), beat.goodAt)
        },
        message: data => {
          if (typeof data !== "string") return listener.strange("a message that is not text")
          const said = readSignal(data)
          if (said === undefined) return listener.strange("an unknown signal")
          if (said.is === "pong") return beat.answered()
          if (said.is === "event") {
            if (isReady) listener.event(said.event)
            return
          }
          listener.proxies(said.proxies)
          if (said.is === "meta" || isReady) return
          isReady = true
          clearTimeout(late)
          beat.start(every, since => end(new Error(`the server did not answer PING within ${every / 1000} s`), since))
          resolve(said.logins)
        },
      },
    )
    const tell = (op: number, body?: object) =>
      void opening.then(socket => socket.send(JSON.stringify({op, ...(body && {body})}))).catch(() => {})
    defer(() => {
      clearTimeout(late)
      beat.stop()
      void opening.then(socket => socket.close()).catch(() => {})
    })
    signal.addEventListener("abort", () => reject(signal.reason), {once: true})
    opening.catch((error: Error) => reject(notAccepted(error.message)))
    const token = account.token?.reveal()
    // Servers that follow the first drafts read `sequence`.
    tell(opcode.identify, {...(token === undefined ? {} : {token}), ...(sn === undefined ? {} : {sn, sequence: sn})})
  })
}

/** Sends a PING at each interval, and reports once if one has no answer before the next. */
class Heartbeat {
  readonly #ping: () => void
  #timer: ReturnType<typeof setInterval> | undefined
  #askedAt = Date.now()
  #isAnswered = true
  /** When the last answered PING was sent, in milliseconds since 1970; undefined before the first. */
  goodAt: number | undefined

  constructor(ping: () => void) {
    this.#ping = ping
  }

  start(every: number, silent: (since: number) => void): void {
    const began = Date.now()
    this.goodAt = began
    this.#timer = setInterval(() => {
      if (!this.#isAnswered) {
        this.stop()
        return silent(this.goodAt ?? began)
      }
      this.#isAnswered = false
      this.#askedAt = Date.now()
      this.#ping()
    }, every)
  }

  answered(): void {
    this.#isAnswered = true
    this.goodAt = this.#askedAt
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}

/**
 * Codes with which servers reject a token: 4004 of the reference server, 4003 of svc, 3000 and 3003 of the IANA
 * registry.
 */
const refusingCodes: ReadonlySet<number> = new Set([3000, 3003, 4001, 4003, 4004])

const wordsOf = (code: number, reason: string): string => (reason === "" ? `code ${code}` : `${reason} (${code})`)

const closed = (why: string): Error => new Error(`the server closed the connection: ${why}`)

const notAccepted = (why: string): Error => new Error(`the server did not accept the event connection: ${why}`)

const notReady = (code: number, reason: string): Error => {
  const why = wordsOf(code, reason)
  return refusingCodes.has(code) ? tokenRefused(why) : notAccepted(why)
}

const tokenRefused = (why: string): Error =>
  refused(`the server rejected the token: ${why}`, {
    reason: "credentials",
    remediation:
      "Correct the variable that token names: its value is the token of the Satori server. Then run svc runtime reload.",
  })
