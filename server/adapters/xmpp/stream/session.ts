import {randomUUID} from "node:crypto"
import {setTimeout as sleep} from "node:timers/promises"
import type {Child, Client, Element} from "@xmpp/client"
import type {CheckTools} from "../../../../shared/sdk/sdk.ts"
import type {AccountSettings} from "../account.ts"
import {unlessAborted} from "./abort.ts"
import {dial} from "./dial.ts"
import {StanzaFailure, streamFailure} from "./failures.ts"
import {bare, domainOf, localOf} from "./jid.ts"
import {LibrarySocket} from "./library-socket.ts"
import {ns} from "./names.ts"
import {useScram} from "./scram.ts"

/** One step of the login, an answer of a server, and the goodbye get so many milliseconds. */
const patience = {step: 15_000, answer: 25_000, goodbye: 1000} as const

type Library = typeof import("@xmpp/client")

/** What stands in no XML document (XML 1.0, section 2.2); a server ends the stream of a client that sends it. */
const noXml = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu

const clean = (text: string): string => text.replace(noXml, "")

export interface LoginOptions {
  readonly load: CheckTools["load"]
  readonly signal: AbortSignal
  /** In place of the account's. */
  readonly resource?: string
}

/** One stream to the account's server, logged in. */
export class Session {
  /** The address of the account. */
  readonly own: string
  /** Aborted when the stream has ended, with why. */
  readonly ended: AbortSignal
  readonly #client: Client
  readonly #library: Library
  readonly #destroy: () => void

  private constructor(own: string, client: Client, library: Library, ended: AbortSignal, destroy: () => void) {
    this.own = own
    this.#client = client
    this.#library = library
    this.ended = ended
    this.#destroy = destroy
  }

  /** Connects and logs in. Throws a refusal where the server says no for good. */
  static async login(account: AccountSettings, {load, signal, resource}: LoginOptions): Promise<Session> {
    const library = await load<Library>("@xmpp/client")
    const dialed = await dial(account, signal)
    const destroy = () => void dialed.socket.destroy()
    const client = library.client({
      service: `xmpp://${domainOf(account.jid)}`,
      domain: domainOf(account.jid),
      username: localOf(account.jid),
      password: account.password.reveal(),
      resource: resource ?? account.resource ?? "svc",
    })
    client.timeout = patience.step
    client.reconnect.stop()
    useSocket(client, new LibrarySocket(dialed))
    useScram(client.saslFactory)
    keepToTheCore(client)
    const ended = watchEnd(client, account.jid)
    try {
      await unlessAborted(client.start(), signal, ended)
    } catch (error) {
      client.removeAllListeners()
      client.on("error", () => {})
      destroy()
      throw streamFailure(error instanceof Error ? error : new Error(String(error)), account.jid)
    }
    return new Session(bare(account.jid), client, library, ended, destroy)
  }

  /** The full address that the server has given. */
  get jid(): string {
    return this.#client.jid?.toString() ?? this.own
  }

  /** An element without the characters that XML does not have. */
  readonly xml = (
    name: string,
    attrs: Readonly<Record<string, string | undefined>> = {},
    ...children: Child[]
  ): Element => {
    const kept = Object.entries(attrs).flatMap(([key, value]) => (value === undefined ? [] : [[key, clean(value)]]))
    const inner = children.map(child => (typeof child === "string" ? clean(child) : child))
    return this.#library.xml(name, Object.fromEntries(kept), ...inner.filter(child => child !== undefined))
  }

  onStanza(listener: (stanza: Element) => void): () => void {
    this.#client.on("stanza", listener)
    return () => this.#client.removeListener("stanza", listener)
  }

  async send(stanza: Element): Promise<void> {
    if (this.ended.aborted) throw new Error("the connection is closed")
    await this.#client.send(stanza)
  }

  /** Asks, and resolves to the answer. Throws `StanzaFailure` for what was answered with an error. */
  async iq(type: "get" | "set", to: string | undefined, child: Element, signal?: AbortSignal): Promise<Element> {
    if (this.ended.aborted) throw new Error("the connection is closed")
    // The library takes any answer with this id, so nobody may guess it.
    const stanza = this.xml("iq", {type, to, id: randomUUID()}, child)
    const answer = this.#client.iqCaller.request(stanza, patience.answer)
    return unlessAborted(answer, signal, this.ended).catch(error => {
      throw asFailure(error)
    })
  }

  /** Resolves once the server has dealt with everything that was sent before. */
  async fence(signal?: AbortSignal): Promise<void> {
    const ping = this.xml("ping", {xmlns: ns.ping})
    await this.iq("get", domainOf(this.own), ping, signal).catch(error => {
      // Whatever it answers, it has come so far.
      if (!(error instanceof StanzaFailure)) throw error
    })
  }

  /** Says goodbye, waits a second for the server's, and closes the connection. */
  async close(): Promise<void> {
    this.#client.removeAllListeners("stanza")
    if (!this.ended.aborted) {
      await this.#client.send(this.xml("presence", {type: "unavailable"})).catch(() => {})
      const stopped = this.#client.stop().catch(() => {})
      await Promise.race([stopped, sleep(patience.goodbye, undefined, {ref: false})])
    }
    this.#destroy()
  }
}

/** The library's error for an answer, and its time limit. */
const asFailure = (error: unknown): unknown => {
  if (!(error instanceof Error)) return error
  if (error.name === "TimeoutError") return new Error("the server did not answer in time")
  if (error.name !== "StanzaError" || !("condition" in error)) return error
  const {condition, type, text} = error as Error & {condition?: unknown; type?: unknown; text?: unknown}
  return new StanzaFailure(String(condition), String(type ?? "cancel"), typeof text === "string" ? text : "")
}

/**
 * Has the library take this connection in place of one of its own: it cannot skip the check of a certificate, nor
 * insist on TLS.
 */
const useSocket = (client: Client, socket: LibrarySocket): void => {
  const tcp = client.transports.find(({prototype}) => prototype.socketParameters("xmpp://localhost") !== undefined)
  if (tcp === undefined) throw new Error("@xmpp/client has no TCP transport")
  // The library makes what `Socket` is by `new`.
  const take = function take() {
    return socket
  }
  const prototype = Object.assign(Object.create(tcp.prototype), {Socket: take, socketParameters: () => ({})})
  client.transports.unshift({prototype})
}

/**
 * Leaves out two features of the server. Stream management: the library acknowledges stanzas before they are stored,
 * and the archive tells what was missed. SASL 2: it logs in otherwise.
 */
const keepToTheCore = (client: Client): void => {
  client.prependListener("element", (element: Element) => {
    if (!element.is("features", "http://etherx.jabber.org/streams")) return
    element.remove("sm", "urn:xmpp:sm:3")
    element.remove("authentication", "urn:xmpp:sasl:2")
  })
}

const watchEnd = (client: Client, jid: string): AbortSignal => {
  const ended = new AbortController()
  let said: Error | undefined
  const end = () => ended.abort(said ?? new Error("the server closed the connection"))
  client.on("error", (error: Error) => {
    // Errors of single stanzas come here too.
    const isOfStream = ["StreamError", "XMLError"].includes(error.name)
    if (isOfStream || client.status !== "online" || "code" in error) said ??= streamFailure(error, jid)
    if (isOfStream) end()
  })
  client.on("close", end)
  client.on("disconnect", end)
  return ended.signal
}
