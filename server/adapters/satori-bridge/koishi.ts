import type {Fields} from "../satori/fields.ts"

/** The parts of `@satorijs/core` 4 and of its adapters that the bridge uses (https://github.com/satorijs/satori). */
export interface Core {
  readonly Context: new () => Context
  readonly HTTP: unknown
  readonly Bot: abstract new (...args: never[]) => object
  readonly Logger: {readonly targets: unknown[]}
  readonly Universal: {
    readonly Methods: Readonly<Record<string, {readonly name: string; readonly fields: readonly {name: string}[]}>>
    readonly Status: {readonly ONLINE: number; readonly CONNECT: number}
    transformKey(source: unknown, change: (key: string) => string): unknown
  }
  readonly h: ElementBuilder
  snakeCase(key: string): string
  camelCase(key: string): string
}

export interface KoishiElement {
  readonly type: string
  readonly attrs: Fields
  readonly children: readonly KoishiElement[]
}

export interface ElementBuilder {
  (type: string, attrs: Fields, ...children: readonly KoishiElement[]): KoishiElement
  parse(content: string): readonly KoishiElement[]
}

export interface Context {
  readonly registry: {values(): Iterable<{readonly inject: Readonly<Record<string, {readonly required?: boolean}>>}>}
  readonly satori: {
    handleInternalRoute(
      method: "GET",
      url: URL,
    ): Promise<{readonly status: number; readonly headers?: Headers; readonly body?: ArrayBuffer}>
  }
  readonly http: {
    /** Whether the address leads to this machine, or to a network that is not public. */
    isLocal(url: string): Promise<boolean>
  }
  get(service: string): unknown
  plugin(plugin: unknown, config?: unknown): {dispose(): unknown}
  on(event: string, hear: (...args: never[]) => unknown, prepend?: boolean): unknown
  start(): Promise<void>
}

/** The export of an adapter's package. */
export interface StockPlugin {
  readonly name?: string
  readonly inject?: readonly string[] | Readonly<Record<string, unknown>>
  readonly Config?: Schema
  readonly prototype?: object
}

/** A schema of `schemastery`. It returns the configuration with its defaults, or throws. */
export interface Schema {
  (config: unknown): unknown
  readonly meta?: {readonly role?: string}
  readonly list?: readonly Schema[]
  readonly dict?: Readonly<Record<string, Schema>>
}

export interface Bot {
  readonly sn: number
  readonly platform: string
  readonly selfId: string | undefined
  readonly user: Fields | undefined
  readonly status: number
  readonly error: unknown
  readonly features: readonly string[]
  readonly adapter: StockAdapter | undefined
  /** In some adapters: asks for the bot's user, and starts. */
  initialize?(...args: readonly unknown[]): Promise<unknown>
  getLogin(): Promise<unknown>
  createMessage(channel: string, content: string, referrer: unknown, options: Fields): Promise<readonly Fields[]>
  offline(error: unknown): void
}

/** Maintains the connection. Only an adapter with a WebSocket has these methods. */
export interface StockAdapter {
  prepare?(): Promise<Socket>
  accept?(...args: readonly unknown[]): unknown
}

export interface Socket {
  addEventListener(type: string, hear: (event: unknown) => unknown): void
  close(): void
  /** Missing on some runtimes. */
  terminate?(): void
}

export interface Session {
  readonly type: string
  readonly selfId: string | undefined
  readonly channelId: string | undefined
  readonly bot: Bot
  readonly locales: readonly string[]
  toJSON(): Fields
}
