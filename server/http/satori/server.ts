import type {Log} from "../../../shared/log.ts"
import {isProblem, messageOf, Problem} from "../../../shared/problems.ts"
import type {Database} from "../../database/database.ts"
import type {Endpoints} from "../../endpoints/endpoints.ts"
import type {Peer, PeerOf, SocketHooks} from "../../runtime/runtime.ts"
import type {Guard} from "../door.ts"
import {Client} from "./client.ts"
import {Feed} from "./feed.ts"
import {Logins} from "./logins.ts"
import {type Closing, readSignal, type Signal} from "./protocol/protocol.ts"

export interface SatoriOptions {
  readonly database: Database
  readonly log: Log
  readonly endpoints: Pick<Endpoints, "list">
  /** The path of the WebSocket, including `http.base`. */
  readonly path: string
}

/** What the upgrade found out about a connection. */
interface Arrival extends Record<string, unknown> {
  readonly address: string
  readonly isAdmitted: boolean
}

/** How long a client may take to identify itself (Satori v1), and then be silent, in milliseconds. */
const patience = {identify: 10_000, silent: 30_000} as const

/** How many connections of one client address may be without a token at the same time. */
const mostUnidentified = 256

const sweepEvery = 1000

/** The event service of Satori v1. Applications resume the durable inbox by `sn`. */
export class SatoriServer {
  readonly logins: Logins
  readonly #options: SatoriOptions
  readonly #feed: Feed
  readonly #clients = new Map<Peer, Client>()
  #guard: Guard | undefined
  #sweep: ReturnType<typeof setInterval> | undefined
  /** The number of connections without a token, by client address. */
  readonly #unidentified = new Map<string, number>()
  /** Whether the feed is active. A client that identifies itself starts it, and it stops when the last one leaves. */
  #isFollowed = false
  #advancing = false
  /** Whether the database may contain events that are not read yet. */
  #isBehind = false
  #areLoginsOld = false
  #isClosed = false

  constructor(options: SatoriOptions) {
    this.#options = options
    this.logins = new Logins(options.database, options.log, options.endpoints)
    this.#feed = new Feed(options.database, (endpoint, stored) => this.logins.ofEvent(endpoint, stored))
  }

  /** Accepts clients from now on. */
  async start(guard: Guard): Promise<void> {
    await this.logins.load()
    this.#guard = guard
    this.logins.refresh()
  }

  /** When the promise settles, clients get the new events, even if storing seems to have failed. */
  hear(storing: Promise<unknown>): void {
    storing.then(this.#wake, this.#wake)
  }

  readonly #wake = (): void => {
    if (!this.#isFollowed) return
    this.#isBehind = true
    if (!this.#advancing) void this.#advance()
  }

  /** Call it when an endpoint's state or name may have changed. One check covers all changes of a turn. */
  loginsChanged(): void {
    if (this.#areLoginsOld || this.#guard === undefined) return
    this.#areLoginsOld = true
    setImmediate(() => {
      this.#areLoginsOld = false
      if (this.#isClosed) return
      const changes = this.logins.refresh()
      if (changes.length > 0) this.#feed.forget()
      for (const change of changes) for (const client of this.#clients.values()) client.tell(change)
    })
  }

  /** The highest `sn` up to which every connected client has all events. Infinity if no client is connected. */
  get hasReachedAll(): number {
    return Math.min(...[...this.#clients.values()].map(client => client.has ?? Number.POSITIVE_INFINITY))
  }

  /** Accepts no more clients and sends no more events. Clients resume later. */
  close(): void {
    this.#isClosed = true
    clearInterval(this.#sweep)
  }

  /** Throws the `Problem` that refuses an upgrade. */
  readonly socket: SocketHooks = {
    upgrade: (request, peerOf) => ({context: this.#admit(request, peerOf)}),
    open: peer => this.#open(peer),
    message: (peer, message) => this.#hear(peer, message.text()),
    close: peer => this.#forget(peer),
    error: peer => this.#forget(peer),
  }

  #admit(request: Request, peerOf: PeerOf): Arrival {
    if (new URL(request.url).pathname !== this.#options.path) {
      throw new Problem("not_found", `there is no WebSocket here; Satori events are at ${this.#options.path}`)
    }
    if (this.#guard === undefined) throw new Problem("starting", "the Host is starting", {retryAfter: 1})
    if (this.#isClosed) throw new Problem("stopping", "the Host is stopping")
    const address = this.#guard.addressOf(request, peerOf)
    const authorization = request.headers.get("authorization")
    if (authorization !== null) this.#guard.admit(authorization, address)
    else if ((this.#unidentified.get(networkOf(address)) ?? 0) >= mostUnidentified) {
      throw new Problem(
        "too_many_connections",
        `${mostUnidentified} connections from your address have sent no token`,
        {retryAfter: 10},
      )
    }
    return {address, isAdmitted: authorization !== null}
  }

  #open(peer: Peer): void {
    this.#clients.set(peer, new Client(peer, this.#feed))
    this.#countUnidentified(peer, 1)
    this.#sweep ??= setInterval(() => this.#look(), sweepEvery)
  }

  #forget(peer: Peer): void {
    const client = this.#clients.get(peer)
    if (client === undefined) return
    this.#clients.delete(peer)
    if (!client.isIdentified) this.#countUnidentified(peer, -1)
    client.closed()
    if (this.#clients.size > 0) return
    clearInterval(this.#sweep)
    this.#sweep = undefined
    this.#isFollowed = false
  }

  #countUnidentified(peer: Peer, change: 1 | -1): void {
    const network = networkOf(arrivalOf(peer).address)
    const count = (this.#unidentified.get(network) ?? 0) + change
    if (count > 0) this.#unidentified.set(network, count)
    else this.#unidentified.delete(network)
  }

  #hear(peer: Peer, text: string): void {
    const client = this.#clients.get(peer)
    if (client === undefined || client.isClosed) return
    if (client.isIdentified) client.heardAt = performance.now()
    const said = readSignal(text)
    if (said === undefined) client.close("invalid")
    else if (said.is === "ping") client.pong()
    else if (said.is === "identify") this.#identify(client, peer, said)
  }

  #identify(client: Client, peer: Peer, {token, sn}: Signal & {is: "identify"}): void {
    const refusal = client.isIdentified ? "invalid" : this.#refusalOf(peer, token)
    if (refusal !== undefined) {
      client.close(refusal)
      return
    }
    client.isIdentified = true
    client.heardAt = performance.now()
    this.#countUnidentified(peer, -1)
    this.#begin(client, sn).catch(error => this.#fail(client, error))
  }

  #refusalOf(peer: Peer, token: string | undefined): Closing | undefined {
    const {address, isAdmitted} = arrivalOf(peer)
    if (isAdmitted && token === undefined) return undefined
    try {
      this.#guard?.admit(`Bearer ${token ?? ""}`, address)
      return undefined
    } catch (error) {
      return isProblem(error, "forbidden") ? "forbidden" : "unauthorized"
    }
  }

  /**
   * Starts sending events. A client without an `sn` starts with the next event, and gets a login event at once: that
   * event gives it the `sn` to resume at. A client whose `sn` is not stored yet has it from another database, and
   * starts the same way.
   */
  async #begin(client: Client, sn: number | undefined): Promise<void> {
    const head = await this.#feed.head()
    if (client.isClosed) return
    if (!this.#isFollowed) this.#feed.restart(head)
    this.#isFollowed = true
    if (sn !== undefined && sn > head) {
      this.#options.log.warn(`a Satori client asked for events after ${sn}; the newest is ${head}, so it starts there`)
    }
    const isResumed = sn !== undefined && sn <= head
    const missing = isResumed ? await this.#feed.missingAfter(sn) : undefined
    if (client.isClosed) return
    if (missing !== undefined) {
      this.#options.log.warn(`a Satori client asked for events after ${sn}; some up to ${missing} are no longer stored`)
    }
    const logins = this.logins.list()
    client.ready(logins, isResumed ? sn : head)
    const [first] = logins
    if (!isResumed && first !== undefined) client.tell({type: "login-updated", login: first})
    // Events stored since the head was read have a higher `seq`, so they are found here.
    this.#wake()
    await client.follow()
  }

  async #advance(): Promise<void> {
    this.#advancing = true
    try {
      while (this.#isBehind && !this.#isClosed) {
        this.#isBehind = false
        await this.#feed.advance()
        for (const client of this.#clients.values()) client.follow().catch(error => this.#fail(client, error))
      }
    } catch (error) {
      this.#isBehind = true
      if (!this.#isClosed)
        this.#options.log.warn(`could not read events for Satori clients; retrying: ${messageOf(error)}`, {error})
    } finally {
      this.#advancing = false
    }
  }

  #fail(client: Client, error: unknown): void {
    if (this.#isClosed) return
    this.#options.log.warn(`closed a Satori client: ${messageOf(error)}`, {error})
    client.close("failed")
  }

  /** Once a second, closes silent clients and retries failed reads. */
  #look(): void {
    const now = performance.now()
    for (const client of this.#clients.values()) {
      if (client.isClosed || now - client.heardAt <= (client.isIdentified ? patience.silent : patience.identify))
        continue
      client.close(client.isIdentified ? "silent" : "unidentified")
    }
    if (this.#isBehind && !this.#advancing) void this.#advance()
  }
}

/** `#admit` creates the context. */
const arrivalOf = (peer: Peer) => peer.context as Arrival

/** One IPv6 client has a whole /64 network. */
const networkOf = (address: string): string => {
  if (!address.includes(":")) return address
  const [start = "", end] = address.split("::")
  const groups = start.split(":")
  const zeros = end === undefined ? 0 : 8 - groups.length - end.split(":").length
  return [...groups, ...Array.from({length: zeros}, () => "0"), ...(end?.split(":") ?? [])].slice(0, 4).join(":")
}
