import {createHash, timingSafeEqual} from "node:crypto"
import type {AcceptSocket, Endpoint, PlatformSocket, SocketHandler} from "../../../shared/sdk/sdk.ts"
import {withDeadline} from "../../../shared/sdk/sdk.ts"
import type {Transport} from "./account.ts"
import type {Ask} from "./api.ts"
import type {Listener} from "./socket.ts"
import {type Brings, Talk} from "./talk.ts"

type Reverse = Extract<Transport, {is: "reverse"}>

type Part = "actions" | "events"

const both: readonly Part[] = ["actions", "events"]

/** The purpose of a connection, by its role (OneBot v11, "communication/ws-reverse"). */
const roles: Readonly<Record<string, readonly Part[]>> = {
  universal: both,
  api: ["actions"],
  event: ["events"],
}

/** In milliseconds. */
const usualPatience = {
  /** The longest time between the connection for actions and the one for events. */
  together: 15_000,
  /** A connection that does not answer a probe for this long is replaced by a new one. */
  probe: 5000,
}

/** The connections that the implementation opens. If one is lost, all are. */
export class ReverseSockets {
  readonly #transport: Reverse
  readonly #endpoint: Endpoint
  readonly #listener: Listener
  readonly #patience: typeof usualPatience
  readonly #sockets = new Map<Part, PlatformSocket>()
  readonly #complete = Promise.withResolvers<void>()
  readonly #talk: Talk
  readonly #strangers = new Set<string>()
  #lastHeardAt = Date.now()
  #isProbing = false
  #hasTold = false

  constructor(transport: Reverse, endpoint: Endpoint, listener: Listener, patience = usualPatience) {
    this.#transport = transport
    this.#endpoint = endpoint
    this.#listener = listener
    this.#patience = patience
    this.#talk = new Talk({
      send: text => this.#sockets.get("actions")?.send(text),
      event: listener.event,
      ended: endpoint.signal,
    })
  }

  /**
   * Waits for the implementation without a timeout. Resolves once it accepts actions; from then on, its events are
   * reported.
   */
  async open(): Promise<Ask> {
    const {signal} = this.#endpoint
    signal.addEventListener("abort", () => this.#complete.reject(signal.reason), {once: true})
    this.#endpoint.accept(this.#accept)
    await this.#complete.promise
    return this.#talk.ask
  }

  readonly #accept: AcceptSocket = ({headers}) => {
    const refuse = (status: number, why: string) => new Response(why, {status})
    const authorization = headers.get("authorization")
    if (authorization === null) return refuse(401, "the access token is missing")
    if (!isEqual(authorization.replace(/^bearer +/i, ""), this.#transport.token.reveal()))
      return refuse(403, "the access token is wrong")
    const self = headers.get("x-self-id") ?? ""
    if (self !== this.#transport.selfId) {
      this.#tellStranger(self)
      return refuse(403, "X-Self-ID is not the endpoint's bot")
    }
    const role = (headers.get("x-client-role") ?? "universal").toLowerCase()
    const parts = Object.hasOwn(roles, role) ? roles[role] : undefined
    if (parts === undefined) return refuse(400, "X-Client-Role must be Universal, API or Event")
    if (!this.#isFree(parts)) {
      void this.#probe()
      return refuse(409, "the bot is connected already")
    }
    return this.#handler(parts)
  }

  #tellStranger(self: string): void {
    if (this.#strangers.has(self) || this.#strangers.size >= 10) return
    this.#strangers.add(self)
    const {selfId} = this.#transport
    this.#endpoint.log.warn(`refused a connection of the bot ${self.slice(0, 100)}: reverse.selfId is ${selfId}`)
  }

  #isFree(parts: readonly Part[]): boolean {
    return parts.every(part => !this.#sockets.has(part))
  }

  #handler(parts: readonly Part[]): SocketHandler {
    const brings: Brings = {answers: parts.includes("actions"), events: parts.includes("events")}
    let isOurs = false
    return {
      open: socket => {
        isOurs = this.#isFree(parts)
        if (!isOurs) return socket.close(1008, "the bot is connected already")
        for (const part of parts) this.#sockets.set(part, socket)
        if (both.every(part => this.#sockets.has(part))) this.#complete.resolve()
        else this.#awaitOther(parts)
      },
      message: data => {
        this.#lastHeardAt = Date.now()
        if (isOurs) this.#talk.hear(data, brings)
      },
      close: ({code, reason}) => {
        if (!isOurs) return
        const why = reason === "" ? "" : `: ${reason}`
        this.#fail(new Error(`the implementation closed the connection (${code})${why}`))
      },
    }
  }

  #awaitOther([part]: readonly Part[]): void {
    const [here, missing] = part === "actions" ? ["API", "Event"] : ["Event", "API"]
    const late = setTimeout(() => {
      this.#fail(new Error(`the implementation has connected as ${here} but not as ${missing}`))
    }, this.#patience.together)
    this.#endpoint.defer(() => clearTimeout(late))
    void this.#complete.promise.then(
      () => clearTimeout(late),
      () => {},
    )
  }

  /**
   * Probes the current connection, because a second one has arrived: if the first is dead, the implementation has
   * reconnected.
   */
  async #probe(): Promise<void> {
    if (this.#isProbing || !this.#sockets.has("actions")) return
    this.#isProbing = true
    const since = this.#lastHeardAt
    const probe = async (limit: AbortSignal) => {
      // A refusal is an answer too.
      await this.#talk.ask("get_status", {}, limit).catch(() => {})
      return limit.aborted
    }
    const isDead = await withDeadline(this.#patience.probe, probe, this.#endpoint.signal)
    this.#isProbing = false
    if (this.#endpoint.signal.aborted) return
    if (isDead) return this.#fail(new Error("the implementation reconnected; its old connection is dead"), since)
    if (!this.#hasTold) this.#endpoint.log.warn("refused a second connection of the bot: the first one still answers")
    this.#hasTold = true
  }

  #fail(error: Error, since?: number): void {
    this.#complete.reject(error)
    this.#listener.closed(error, since === undefined ? {} : {since})
  }
}

/** Compares in constant time, for texts of any length. */
const isEqual = (shown: string, expected: string): boolean => {
  const digest = (text: string) => createHash("sha256").update(text).digest()
  return timingSafeEqual(digest(shown), digest(expected))
}
