import {randomUUID} from "node:crypto"
import {setTimeout as sleep} from "node:timers/promises"
import type {Child, Client, Element} from "@xmpp/client"
import type {CheckTools} from "../../../../shared/sdk/sdk.ts"
import {unlessAborted} from "./abort.ts"
import type {AccountSettings} from "./account.ts"
import {dial} from "./dial.ts"
import {StanzaFailure, streamFailure} from "./failures.ts"
import {bare, domainOf, localOf} from "./jid.ts"
import {LibrarySocket} from "./library-socket.ts"
import {ns} from "./names.ts"
import {useScram} from "./scram.ts"

/** The timeouts for one step of the login, for an answer, and for the goodbye, in milliseconds. */
const patience = {step: 15_000, answer: 25_000, goodbye: 1000} as const

type Library = typeof import("@xmpp/client")

/** Characters that XML does not allow (XML 1.0, section 2.2). A server ends the stream of a client that sends them. */
const noXml = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu

const clean = (text: string): string => text.replace(noXml, "")

export interface LoginOptions {
  readonly load: CheckTools["load"]
  readonly signal: AbortSignal
  /** Replaces the account's resource. */
  readonly resource?: string
}

/** One logged-in stream to the account's server. */
export class Session {
  /** The address of the account. */
  readonly own: string
  /** Aborted with the reason when the stream ends. */
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

  /** Connects and logs in. Throws a refusal if the server rejects the account permanently. */
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
    const socket = new LibrarySocket(dialed)
    client.on("element", () => socket.heard())
    useSocket(client, socket)
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

  /** The full address that the server assigned. */
  get jid(): string {
    return this.#client.jid?.toString() ?? this.own
  }

  /** Creates an element, without characters that XML does not allow. */
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

  /** Sends a request. Resolves to the answer. Throws `StanzaFailure` if the answer is an error. */
  async iq(type: "get" | "set", to: string | undefined, child: Element, signal?: AbortSignal): Promise<Element> {
    if (this.ended.aborted) throw new Error("the connection is closed")
    // The library accepts any answer with this id, so the id must be unguessable.
    const stanza = this.xml("iq", {type, to, id: randomUUID()}, child)
    const answer = this.#client.iqCaller.request(stanza, patience.answer)
    return unlessAborted(answer, signal, this.ended).catch(error => {
      throw asFailure(error)
    })
  }

  /** Resolves once the server has processed everything sent before. */
  async fence(signal?: AbortSignal): Promise<void> {
    const ping = this.xml("ping", {xmlns: ns.ping})
    await this.iq("get", domainOf(this.own), ping, signal).catch(error => {
      // Any answer shows that the server has processed it.
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

/** Converts the library's error for an answer, and its timeout. */
const asFailure = (error: unknown): unknown => {
  if (!(error instanceof Error)) return error
  if (error.name === "TimeoutError") return new Error("the server did not answer in time")
  if (error.name !== "StanzaError" || !("condition" in error)) return error
  const {condition, type, text} = error as Error & {condition?: unknown; type?: unknown; text?: unknown}
  return new StanzaFailure(String(condition), String(type ?? "cancel"), typeof text === "string" ? text : "")
}

/**
 * Makes the library use this connection instead of opening its own: it cannot skip the certificate check or require
 * TLS.
 */
const useSocket = (client: Client, socket: LibrarySocket): void => {
  const tcp = client.transports.find(({prototype}) => prototype.socketParameters("xmpp://localhost") !== undefined)
  if (tcp === undefined) throw new Error("@xmpp/client has no TCP transport")
  // The library creates `Socket` with `new`.
  const take = function take() {
    return socket
  }
  const prototype = Object.assign(Object.create(tcp.prototype), {Socket: take, socketParameters: () => ({})})
  client.transports.unshift({prototype})
}

/**
 * Removes two features of the server. Stream management, because the library acknowledges stanzas before they are
 * stored, and the archive covers missed ones. SASL 2, because its login differs.
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
    // Errors of single stanzas arrive here too.
    const isOfStream = ["StreamError", "XMLError"].includes(error.name)
    if (isOfStream || client.status !== "online" || "code" in error) said ??= streamFailure(error, jid)
    if (isOfStream) end()
  })
  client.on("close", end)
  client.on("disconnect", end)
  return ended.signal
}
