declare module "@xmpp/client" {
  import type {EventEmitter} from "node:events"

  /** An element of `ltx`. */
  export interface Element {
    readonly name: string
    readonly attrs: Readonly<Record<string, string | undefined>>
    readonly children: readonly (Element | string)[]
    is(name: string, xmlns?: string): boolean
    getNS(): string | undefined
    getChild(name: string, xmlns?: string): Element | undefined
    getChildren(name: string, xmlns?: string): readonly Element[]
    getChildElements(): readonly Element[]
    getText(): string
    /** Removes the children of this name. */
    remove(name: string, xmlns?: string): Element
    toString(): string
  }

  export type Child = Element | string | undefined

  export function xml(name: string, attrs?: Readonly<Record<string, string | undefined>>, ...children: Child[]): Element

  export namespace xml {
    export class Parser extends EventEmitter {
      write(text: string): void
    }
  }

  /** A transport. Its prototype has the parts that the client uses. */
  export interface Transport {
    readonly prototype: {Socket: unknown; socketParameters(service: string): object | undefined}
  }

  export interface ClientOptions {
    readonly service: string
    readonly domain: string
    readonly username: string
    readonly password: string
    readonly resource?: string
  }

  /** The login mechanisms, best first. Each login creates a new one. */
  export interface SaslFactory {
    readonly _mechs: {readonly name: string; mech: unknown}[]
  }

  /** Its emitter comes from the package `events`, with the methods of Node's. */
  export interface Client extends EventEmitter {
    readonly status: string
    readonly jid: {toString(): string} | null
    /** The timeout for one step of the login, in milliseconds. */
    timeout: number
    readonly transports: Transport[]
    readonly saslFactory: SaslFactory
    readonly reconnect: {stop(): void}
    readonly iqCaller: {request(stanza: Element, timeout: number): Promise<Element>}
    start(): Promise<unknown>
    stop(): Promise<unknown>
    send(element: Element): Promise<void>
  }

  export function client(options: ClientOptions): Client
}
