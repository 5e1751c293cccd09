declare module "irc-framework" {
  import type {EventEmitter} from "node:events"

  export interface ClientOptions {
    host: string
    port: number
    tls: boolean
    rejectUnauthorized: boolean
    nick: string
    username: string
    gecos: string
    password?: string
    account?: {account?: string; password?: string}
    auto_reconnect: false
    sasl_disconnect_on_fail: boolean
    version: string
    message_max_length: number
    ping_interval: number
    transport: typeof import("irc-framework/src/transports/net.js").NetTransport
  }

  /** Its emitter is `eventemitter3`, which has Node's methods as far as they are used here. */
  export class Client extends EventEmitter {
    readonly connected: boolean
    readonly user: {readonly nick: string}
    readonly network: {
      readonly cap: {isEnabled(name: string): boolean}
      readonly options: {readonly PREFIX: readonly {readonly mode: string}[]}
    }
    connect(options: ClientOptions): void
    quit(message?: string): void
    changeNick(nick: string): void
    join(channel: string, key?: string): void
    /** Sends a line of the protocol. */
    raw(...words: string[]): void
    ping(token: string): void
    say(target: string, message: string): string[]
    caseCompare(one: string, other: string): boolean
    caseLower(text: string): string
    readonly connection: {end(): void; readonly transport: {disposeSocket(): void} | null}
  }
}

declare module "irc-framework/src/transports/net.js" {
  import type {EventEmitter} from "node:events"
  import type {Socket} from "node:net"

  /** The module's only export, in CommonJS. */
  export class NetTransport extends EventEmitter {
    constructor(options: {readonly host: string; readonly port: number})
    /** Null once it is disposed. */
    socket: Socket | null
    connect(): void
    disposeSocket(): void
    onSocketData(data: Buffer): void
    onSocketClose(): void
  }
  export default NetTransport
}
