import {EventEmitter} from "node:events"
import {tryParseJson} from "../../../../shared/sdk/sdk.ts"
import {numberIn, type Payload, payloadOf, textIn} from "../api/payload.ts"
import {readReady, type Session} from "./session.ts"

export type GatewayLibrary = typeof import("@discordjs/ws")

/** An event as the gateway sends it. */
export interface Dispatch {
  readonly name: string
  readonly sequence: number
  readonly data: Payload
  /** When it arrived, by `performance.now()`. */
  readonly at: number
}

export interface GatewayOptions {
  readonly library: GatewayLibrary
  readonly token: string
  readonly intents: number
  /** Identifies the token and the intents in the session. */
  readonly account: string
  /** The address for a new session. */
  readonly url: string
  /** The session to resume; undefined for a new one. */
  readonly session: Session | undefined
  /** Receives each event, in the gateway's order. */
  dispatch(dispatch: Dispatch): void
  /** Hears of each unknown operation, and each event without name or number, which are left out. */
  unknown(what: string): void
}

/** The reason why a connection ended. */
export class GatewayClosed extends Error {
  /** The close code, if the gateway closed the connection. */
  readonly code: number | undefined
  /** Whether Discord no longer knows the session. */
  readonly isSessionGone: boolean

  constructor(message: string, code: number | undefined, isSessionGone: boolean) {
    super(message)
    this.code = code
    this.isSessionGone = isSessionGone
  }
}

/** Operations of the gateway (Discord: Opcodes and Status Codes). */
const op = {dispatch: 0, heartbeat: 1, reconnect: 7, invalidSession: 9, hello: 10, acknowledged: 11} as const

/**
 * Close codes after which only a new session can start: closed by the gateway, not authenticated, invalid sequence,
 * timed out.
 */
const endsSession: readonly number[] = [1000, 4003, 4007, 4009]

/** A close code that keeps the session. After 1000 and 1001 Discord forgets it. */
const keepsSession = 4200

/** How long to wait for the gateway's answer to a close, in milliseconds. */
const closePatience = 1000

/** One connection to the gateway. It never reconnects. */
export class Gateway {
  readonly #options: GatewayOptions
  readonly #shard: InstanceType<GatewayLibrary["WebSocketShard"]>
  readonly #destroy: (code: number) => Promise<void>
  readonly #ready = Promise.withResolvers<Session>()
  readonly #ended = Promise.withResolvers<GatewayClosed>()
  #session: Session | undefined
  #code: number | undefined
  #why = ""
  #isInvalid = false
  #complete = performance.now()

  constructor(options: GatewayOptions) {
    this.#options = options
    const {library} = options
    this.#session = options.session
    this.#shard = new library.WebSocketShard(this.#strategy(), 0)
    const destroy = this.#shard.destroy.bind(this.#shard)
    this.#destroy = code => destroy({code})
    // The library would reconnect on its own in `destroy`, and it reads messages after READY out of order.
    Object.assign(this.#shard, {
      destroy: (options: {reason?: string} = {}) => this.#end(options.reason),
      unpackMessage: (data: unknown) => this.#read(data),
    })
    boundMessages(this.#shard)
    const {WebSocketShardEvents: event} = library
    this.#shard.on(event.Closed, code => {
      this.#code ??= code
    })
    this.#shard.on(event.SocketError, error => {
      this.#why ||= payloadOf(error).message === undefined ? "the connection failed" : String(payloadOf(error).message)
    })
    this.#shard.on(event.Error, error => {
      this.#why ||= error.message
    })
    this.#shard.on(event.HeartbeatComplete, ({heartbeatAt}) => {
      if (heartbeatAt > 0) this.#complete = Math.max(this.#complete, performance.now() - (Date.now() - heartbeatAt))
    })
  }

  /** Resolves to the session once it has started or resumed. Rejects with `GatewayClosed`. */
  async connect(): Promise<Session> {
    this.#shard.connect().catch(() => {})
    return Promise.race([this.#ready.promise, this.ended.then(why => Promise.reject(why))])
  }

  /** Resolves to the reason once the connection has ended. */
  get ended(): Promise<GatewayClosed> {
    return this.#ended.promise
  }

  /** The time up to which every event of Discord has arrived, by `performance.now()`. */
  get complete(): number {
    return this.#complete
  }

  /**
   * Resolves once every event that Discord had at the call has arrived: Discord answers the heartbeat after those
   * events.
   */
  async catchUp(signal: AbortSignal): Promise<void> {
    const written = performance.now()
    const {promise, resolve, reject} = Promise.withResolvers<void>()
    const {HeartbeatComplete} = this.#options.library.WebSocketShardEvents
    const onAbort = () => reject(new Error("the gateway did not answer"))
    const onAnswer = () => resolve()
    this.#shard.once(HeartbeatComplete, onAnswer)
    signal.addEventListener("abort", onAbort, {once: true})
    try {
      await this.#shard.send({op: op.heartbeat, d: this.#session?.sequence ?? null})
      await promise
      this.#complete = Math.max(this.#complete, written)
    } finally {
      this.#shard.off(HeartbeatComplete, onAnswer)
      signal.removeEventListener("abort", onAbort)
    }
  }

  /** Ends the connection. Discord keeps the session for a while. */
  async close(): Promise<void> {
    await this.#end("closed by svc")
  }

  async #end(reason = "the gateway closed the connection"): Promise<void> {
    const code = this.#code
    const isSessionGone = this.#isInvalid || (code !== undefined && endsSession.includes(code))
    const why = this.#why === "" ? reason : this.#why
    const said = code === undefined ? why : `${why} (${code})`
    this.#ended.resolve(new GatewayClosed(said, code, isSessionGone))
    const late = Promise.withResolvers<void>()
    const timer = setTimeout(late.resolve, closePatience)
    await Promise.race([this.#destroy(keepsSession), late.promise])
    clearTimeout(timer)
    this.#abandon()
  }

  /**
   * The library does not close a socket that is still connecting. Without a listener, its failure would be unhandled.
   */
  #abandon(): void {
    const socket: unknown = Reflect.get(this.#shard, "connection")
    if (!isSocket(socket) || socket.readyState !== 0) return
    socket.onerror = () => {}
    socket.close()
  }

  /** The library's callbacks: they return the session to resume and to report in heartbeats. */
  #strategy(): ConstructorParameters<GatewayLibrary["WebSocketShard"]>[0] {
    const {library, token, intents, url} = this.#options
    return {
      options: {
        token,
        intents,
        gatewayInformation: {
          url,
          shards: 1,
          session_start_limit: {total: 1, remaining: 1, reset_after: 0, max_concurrency: 1},
        },
        shardCount: 1,
        compression: null,
        encoding: library.Encoding.JSON,
        version: "10",
        handshakeTimeout: 10_000,
        helloTimeout: 20_000,
        readyTimeout: 30_000,
        identifyProperties: {os: process.platform, browser: "svc", device: "svc"},
        initialPresence: null,
        largeThreshold: null,
        useIdentifyCompression: false,
      },
      retrieveSessionInfo: () => {
        const session = this.#session
        if (session === undefined) return null
        const {id, sequence, url} = session
        return {sessionId: id, sequence, resumeURL: url, shardId: 0, shardCount: 1}
      },
      updateSessionInfo: () => {},
      waitForIdentify: async () => {},
    }
  }

  /** Returns a message of the gateway for the library; null if it is not for the library. */
  #read(data: unknown): unknown {
    const payload = parse(data)
    const known = this.#check(payload)
    if (known === undefined) {
      if (payload !== undefined) this.#why ||= "the gateway sent a message outside its protocol"
      void this.#end(this.#why)
      return null
    }
    return known
  }

  #check(payload: Payload | undefined): unknown {
    if (payload === undefined) {
      this.#why ||= "the gateway sent invalid JSON"
      return undefined
    }
    const {d} = payload
    switch (payload.op) {
      case op.hello:
        return numberIn(payloadOf(d), "heartbeat_interval") === undefined ? undefined : payload
      case op.invalidSession:
        this.#isInvalid = d !== true
        return {...payload, d: d === true}
      case op.dispatch:
        if (textIn(payload, "t") !== undefined && numberIn(payload, "s") !== undefined)
          return this.#hear(payload) ? payload : undefined
        return this.#leaveOut("dispatch")
      case op.heartbeat:
      case op.reconnect:
      case op.acknowledged:
        return payload
      default:
        return this.#leaveOut(`op ${payload.op}`)
    }
  }

  #leaveOut(what: string): null {
    this.#options.unknown(what)
    return null
  }

  #hear(payload: Payload): boolean {
    const [name, sequence] = [textIn(payload, "t"), numberIn(payload, "s")]
    if (name === undefined || sequence === undefined) return false
    const at = performance.now()
    const data = payloadOf(payload.d)
    if (name === "READY") {
      const session = readReady(data, sequence, this.#options.account, Date.now())
      if (session === undefined) return false
      this.#session = session
    } else if (this.#session !== undefined) this.#session = {...this.#session, sequence}
    this.#options.dispatch({name, sequence, data, at})
    if ((name === "READY" || name === "RESUMED") && this.#session !== undefined) {
      this.#complete = at
      this.#ready.resolve(this.#session)
    }
    return true
  }
}

/** The largest message, in bytes: READY of a bot in many servers is the longest. */
const largestMessage = 8 * 1024 * 1024

/** On Node, the library's `ws` accepts 100 MiB, and neither has an option for it. On Bun, the Host's limit applies. */
const boundMessages = (shard: object): void => {
  let connection: unknown = null
  Object.defineProperty(shard, "connection", {
    get: () => connection,
    set: (made: unknown) => {
      connection = made
      const bound = () =>
        void Object.assign(payloadOf(Reflect.get(Object(made), "_receiver")), {_maxPayload: largestMessage})
      if (made instanceof EventEmitter) made.once("open", bound)
    },
  })
}

interface Socket {
  readonly readyState: number
  onerror: () => void
  close(): void
}

const isSocket = (value: unknown): value is Socket =>
  typeof value === "object" && value !== null && "readyState" in value && "close" in value

const parse = (data: unknown): Payload | undefined => {
  const value = typeof data === "string" ? tryParseJson(data) : undefined
  return typeof value === "object" && value !== null ? payloadOf(value) : undefined
}
