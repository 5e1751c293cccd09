import {numberIn, type Payload, payloadOf, textIn} from "../payload.ts"
import {readReady, type Session} from "./session.ts"

export type GatewayLibrary = typeof import("@discordjs/ws")

/** An event as the gateway sends it. */
export interface Dispatch {
  readonly name: string
  readonly sequence: number
  readonly data: Payload
  /** When it came, by `performance.now()`. */
  readonly at: number
}

export interface GatewayOptions {
  readonly library: GatewayLibrary
  readonly token: string
  readonly intents: number
  /** Stands for token and intents in the session. */
  readonly account: string
  /** Where a new session begins. */
  readonly url: string
  /** What is resumed; a new session where there is none. */
  readonly session: Session | undefined
  /** Each event, in the gateway's order. */
  dispatch(dispatch: Dispatch): void
}

/** Why a connection ended. */
export class GatewayClosed extends Error {
  /** The close code, where the gateway has closed it. */
  readonly code: number | undefined
  /** Discord does not know the session any more. */
  readonly isSessionGone: boolean

  constructor(message: string, code: number | undefined, isSessionGone: boolean) {
    super(message)
    this.code = code
    this.isSessionGone = isSessionGone
  }
}

/** Operations of the gateway (Discord: Opcodes and Status Codes). */
const op = {dispatch: 0, heartbeat: 1, reconnect: 7, invalidSession: 9, hello: 10} as const

/** Close codes behind which only a new session begins: closed by the gateway, not authenticated, invalid sequence, timed out. */
const endsSession: readonly number[] = [1000, 4003, 4007, 4009]

/** A code that keeps the session: after 1000 and 1001 Discord forgets it. */
const keepsSession = 4200

/** A gateway gets so many milliseconds to answer the close. */
const closePatience = 1000

/** One connection to the gateway; none follows it. */
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
    // The library connects again by itself where `destroy` says so, and reads messages out of their order behind READY.
    Object.assign(this.#shard, {
      destroy: (options: {reason?: string} = {}) => this.#end(options.reason),
      unpackMessage: (data: unknown) => this.#read(data),
    })
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

  /** Resolves to the session once it has begun or was resumed; rejects with `GatewayClosed`. */
  async connect(): Promise<Session> {
    this.#shard.connect().catch(() => {})
    return Promise.race([this.#ready.promise, this.ended.then(why => Promise.reject(why))])
  }

  /** Resolves to why the connection ended. */
  get ended(): Promise<GatewayClosed> {
    return this.#ended.promise
  }

  /** All that Discord had then has come; by `performance.now()`. */
  get complete(): number {
    return this.#complete
  }

  /** Resolves once all that Discord had at the call has come: it answers a heartbeat behind that. */
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

  /** Ends the connection; Discord keeps the session for a while. */
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

  /** The library leaves a socket that is still connecting alone, and without a listener its failure would be nobody's. */
  #abandon(): void {
    const socket: unknown = Reflect.get(this.#shard, "connection")
    if (!isSocket(socket) || socket.readyState !== 0) return
    socket.onerror = () => {}
    socket.close()
  }

  /** What the library asks for: the session that it resumes and tells in heartbeats. */
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

  /** One message of the gateway, as the library takes it; null for what is none. */
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
        return this.#hear(payload) ? payload : undefined
      default:
        return payload
    }
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

interface Socket {
  readonly readyState: number
  onerror: () => void
  close(): void
}

const isSocket = (value: unknown): value is Socket =>
  typeof value === "object" && value !== null && "readyState" in value && "close" in value

const parse = (data: unknown): Payload | undefined => {
  if (typeof data !== "string") return undefined
  try {
    const value: unknown = JSON.parse(data)
    return typeof value === "object" && value !== null ? payloadOf(value) : undefined
  } catch {
    return undefined
  }
}
