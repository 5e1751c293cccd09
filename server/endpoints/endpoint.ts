import {isProblem, messageOf, Problem} from "../../shared/problems.ts"
import type {Endpoint as EndpointHandle, Receipt, ReceiveOptions, Unreadable} from "../../shared/sdk/adapter/adapter.ts"
import type {Incoming} from "../../shared/sdk/adapter/incoming.ts"
import type {Sender} from "../../shared/sdk/adapter/sender.ts"
import type {AcceptSocket} from "../../shared/sdk/adapter/socket.ts"
import type {Element} from "../../shared/sdk/content/elements.ts"
import type {StoredFile} from "../../shared/sdk/content/file-source.ts"
import type {Login} from "../../shared/sdk/content/satori.ts"
import {type Clock, systemClock} from "../runtime/flow/clock.ts"
import {Running} from "../runtime/flow/running.ts"
import {pluginUndoLimit, Scope} from "../runtime/flow/scope.ts"
import {withTimeLimit} from "../runtime/flow/time-limit.ts"
import {openSocket} from "../runtime/outgoing/open-socket.ts"
import {post} from "../runtime/outgoing/post.ts"
import type {ChannelEnd, Filled} from "./backfill.ts"
import {Backfills} from "./backfills.ts"
import {Completeness} from "./completeness.ts"
import {ownedBy, requireCursor, requireLogin, requireSender} from "./opened.ts"
import {awayUntil, type Past} from "./pasts.ts"
import {Retries, settled} from "./retries.ts"
import {type EndpointSpec, hasBackfill} from "./spec.ts"
import type {Admission, EndpointState} from "./state.ts"
import type {OpenShown} from "./uploads.ts"

type Change<T> = T extends unknown ? Omit<T, "since"> : never

export interface EndpointHooks {
  /** Stores all events in one batch. */
  receive(endpoint: Endpoint, events: readonly Incoming[], options?: ReceiveOptions): Promise<readonly Receipt[]>
  /** Returns the stored cursor of its platform. */
  cursorOf?(endpoint: Endpoint): Promise<string | undefined>
  /** Returns what is known of the endpoint of this name, which the endpoint continues. */
  past?(name: string): Past
  /** The endpoint can send from now on. */
  online(endpoint: Endpoint): void
  /** Its state or its own admission has changed. `at` is the state's `since`. */
  changed?(endpoint: Endpoint, at?: number): void
  /** Whether it receives everything on its platform has changed. */
  listening?(endpoint: Endpoint): void
  /** An incoming event could not be stored, although the event is valid. */
  unstored?(endpoint: Endpoint): void
  isPaused?(): boolean
  /** It has said who it is on its platform. */
  named?(endpoint: Endpoint): void
  /** Returns the stored file that an element shows; undefined if it shows none. */
  file?(element: Element): Promise<StoredFile | undefined>
  readonly backfill?: BackfillHooks
  /** The only one that opens; all when left out. */
  readonly onlyEndpoint?: string | undefined
  /** For its states and the pauses between its attempts; the system's when left out. */
  readonly clock?: Clock
}

/** What a backfill needs of the inbox and of the gap. */
export interface BackfillHooks {
  /** Does the endpoint have an open gap? */
  isDue(endpoint: Endpoint): boolean
  /** Returns the last stored messages of at most `most` of its channels, those with the newest messages first. */
  ends(endpoint: Endpoint, most: number): Promise<readonly ChannelEnd[]>
  /** Records that its open gap ends as `partly`; durable when it resolves. */
  spoil(endpoint: Endpoint): Promise<void>
}

/** The adapter's own decision about a WebSocket. The connections end with the signal's attempt. */
export interface Accepting {
  readonly take: AcceptSocket
  readonly signal: AbortSignal
}

/** How long an attempt may take until it is online or refused, in milliseconds. A longer one counts as failed. */
const openTimeout = 60_000

/** How long a planned stop waits for messages in transit, in milliseconds. */
const catchUpLimit = 1000

/** How long a platform should wait while ingress is paused, in seconds. */
const retryAfter = 30

/** How long a replaced endpoint waits for calls of the platform, in milliseconds. */
const drainLimit = 5000

/** One endpoint from its opening to its close. It connects, and reconnects, until it has failed or is closed. */
export class Endpoint {
  #spec: EndpointSpec
  readonly #hooks: EndpointHooks
  readonly #clock: Clock
  readonly #closing = new AbortController()
  #state: EndpointState = {is: "idle", reason: "not_opened", since: Date.now()}
  /** What is known of it, and of earlier endpoints of its name. */
  readonly past: Past
  #connection: {readonly opened: Sender; readonly sender: Sender; readonly signal: AbortSignal} | undefined
  #accepting: Accepting | undefined
  #login: Login | undefined
  #unknowns = 0
  /** Since when the platform redelivers everything behind the cursor, in milliseconds since 1970. */
  #coversSince = Number.POSITIVE_INFINITY
  #running: Promise<void> | undefined
  readonly #calls = new Running()
  #stopping = false
  /** Ends the pause between two attempts. */
  #pause = new AbortController()
  /** Parts of the platform that the adapter does not receive although it is connected. */
  readonly #missing = new Set<symbol>()
  readonly #unreadable = new Map<string, Unreadable>()
  readonly #completeness = new Completeness()
  readonly #backfills: Backfills | undefined

  constructor(spec: EndpointSpec, hooks: EndpointHooks) {
    this.#spec = spec
    this.#hooks = hooks
    this.#clock = hooks.clock ?? systemClock
    this.past = hooks.past?.(spec.name) ?? {}
    this.#backfills = hooks.backfill && this.#createBackfills(hooks.backfill)
    if (spec.open === undefined) this.#enter({is: "idle", reason: "no_account"})
  }

  get spec(): EndpointSpec {
    return this.#spec
  }

  /** Takes the specification of a later generation while the endpoint stays connected. A refused one connects now. */
  adopt(spec: EndpointSpec): void {
    this.#spec = spec
    if (this.#state.is === "reconnecting" && this.#state.reason !== undefined) this.#pause.abort()
  }

  /** How many things from the platform the adapter did not know. */
  get unknowns(): number {
    return this.#unknowns
  }

  get state(): EndpointState {
    return this.#state
  }

  get login(): Login | undefined {
    return this.#login
  }

  /** Does the endpoint receive everything that is said in its channels? */
  get isListening(): boolean {
    return this.#state.is === "online" && this.#missing.size === 0
  }

  /** The places that it is in or should be in, and cannot read. */
  get unreadable(): ReadonlyMap<string, Unreadable> {
    return this.#unreadable
  }

  /**
   * Everything that its platform sent while the endpoint was online, up to this many milliseconds ago, is stored, as
   * far as its adapter knows. Valid while it is online, and just after it has gone offline.
   */
  get lag(): number {
    return this.#completeness.lag
  }

  /** The result of the adapter's `open`; present while the endpoint is online. */
  get opened(): Sender | undefined {
    return this.#connection?.opened
  }

  /** Sends on behalf of the adapter's plugin; present while the endpoint is online. */
  get sender(): Sender | undefined {
    return this.#connection?.sender
  }

  /** Accepts the platform's WebSockets; present while the adapter waits for them or has them. */
  get accepting(): Accepting | undefined {
    return this.#accepting
  }

  /** Closed while ingress is paused; otherwise the endpoint's own admission. */
  get admission(): Admission {
    const own = this.ownAdmission
    return own.is === "open" && this.#hooks.isPaused?.() === true ? {is: "closed", reason: "ingress_paused"} : own
  }

  /** The endpoint's own admission, regardless of the Host's ingress. */
  get ownAdmission(): Admission {
    if (this.#stopping || this.#closing.signal.aborted) return {is: "closed", reason: "endpoint_closed"}
    if (this.#state.is === "failed") return {is: "closed", reason: "endpoint_failed"}
    if (this.#state.is === "idle") return {is: "closed", reason: this.#state.reason}
    return {is: "open"}
  }

  /** Connects in the background. Failures become the endpoint's state. */
  open(): void {
    if (this.spec.open === undefined) return
    this.#running ??= this.#run(this.spec.open)
  }

  /** Call it before a planned stop. Resolves once messages in transit are stored, or at a time limit. */
  async catchUp(): Promise<void> {
    const opened = this.#connection?.opened
    if (opened === undefined || this.spec.history !== "none") return
    const caughtUp = async (signal: AbortSignal) => {
      await this.spec.own(() => opened.catchUp?.(signal))
      await this.#completeness.caughtUp()
    }
    const {name, log} = this.spec
    await withTimeLimit(catchUpLimit, caughtUp).catch(error =>
      log.debug(`${name} did not catch up: ${messageOf(error)}`),
    )
  }

  /** Can missed messages still arrive? */
  get canFill(): boolean {
    return hasBackfill(this.spec) || this.#coversSince !== Number.POSITIVE_INFINITY
  }

  /**
   * Fetches the messages missed since this time from the platform's history, unless the platform itself redelivers
   * them. New events of a channel wait for its missing messages. Resolves to the outcome; undefined if the connection
   * or the admission ended before.
   */
  async backfill(since: number): Promise<Filled | undefined> {
    const connection = this.#connection
    if (connection === undefined) return undefined
    if (since >= this.#coversSince) {
      this.#backfills?.skip()
      return "filled"
    }
    if (!hasBackfill(this.spec)) return "partly"
    if (this.#backfills === undefined) return undefined
    const {history} = connection.sender
    if (history !== undefined && this.#login?.user !== undefined) return this.#backfills.run(history, connection.signal)
    this.spec.log.warn(`${this.spec.name} cannot fetch missed messages without history and a login with its user`)
    return this.#backfills.giveUp()
  }

  /** Admits no more events. The connection stays for messages that are still to be sent. */
  stopAdmission(): void {
    this.#stopping = true
    this.#hooks.changed?.(this)
  }

  /** Closes once running calls of the platform have ended, or after 5 s. */
  async leave(): Promise<void> {
    await this.#calls.ends(drainLimit)
    await this.close()
  }

  /** Resolves when the adapter has undone its last attempt. */
  async close(): Promise<void> {
    if (this.#state.is === "online") this.#completeness.end()
    this.#closing.abort()
    this.#pause.abort()
    await this.#running
    if (this.#state.is !== "failed") this.#enter({is: "offline", reason: "closed"})
  }

  #enter(change: Change<EndpointState>): void {
    this.#state = {...change, since: this.#clock.now()} as EndpointState
    if (change.is === "online") this.past.away = awayUntil(this.past, this.#state.since)
    this.past.awaySince = change.is === "online" ? undefined : (this.past.awaySince ?? this.#state.since)
    const {name, account, log} = this.spec
    if (change.is === "online") this.past.account = account
    if (change.is === "failed") log.error(`${name} failed: ${change.error}`, {remediation: change.remediation})
    else if (change.is === "reconnecting") {
      const {error, attempt, remediation} = change
      log.warn(`${name} is reconnecting: ${error}`, {attempt, ...(remediation === undefined ? {} : {remediation})})
    } else log.debug(`${name} is ${change.is}`)
    this.#hooks.changed?.(this, this.#state.since)
  }

  async #run(open: NonNullable<EndpointSpec["open"]>): Promise<void> {
    const retries = new Retries()
    while (!this.#closing.signal.aborted) {
      this.#enter({is: "connecting", attempt: retries.attempt})
      const {awaySince} = this.past
      const started = this.#clock.elapsed()
      const error = await this.#connect(open)
      if (this.#closing.signal.aborted) return
      const at = this.#clock.elapsed()
      const onlineFor = this.#state.is === "online" ? at - started : 0
      const isKnown = this.past.account !== undefined && this.spec.account.startsWith(this.past.account)
      const next = retries.after(error, {at, onlineFor, isKnown})
      const told = messageOf(error)
      if (next.is === "failed") return this.#enter({is: "failed", error: told, ...next.refusal})
      // A listener may close the endpoint as soon as it hears the state.
      this.#pause = new AbortController()
      // A connection that the platform refuses at once is none.
      if (next.refusal !== undefined && onlineFor <= settled) this.past.awaySince = awaySince
      const retryAt = this.#clock.now() + Math.round(next.pause)
      this.#enter({is: "reconnecting", attempt: retries.attempt, error: told, retryAt, ...next.refusal})
      await this.#rest(next.pause, this.#pause.signal)
    }
  }

  /** Waits for this many milliseconds, or until the signal. */
  async #rest(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    const {promise, resolve} = Promise.withResolvers<void>()
    const cancel = this.#clock.wait(milliseconds, resolve)
    signal.addEventListener("abort", () => resolve())
    await promise
    cancel()
  }

  /** One attempt, from opening to the loss of the connection. Resolves to the reason for its end. */
  async #connect(open: NonNullable<EndpointSpec["open"]>): Promise<unknown> {
    const scope = new Scope((message, error) => this.spec.log.warn(message, {error}), pluginUndoLimit)
    const end = () => void scope.dispose()
    this.#closing.signal.addEventListener("abort", end, {once: true})
    let lose: EndpointHandle["lost"] = () => {}
    const lost = new Promise<unknown>(resolve => {
      lose = (error, {since = Number.POSITIVE_INFINITY} = {}) => {
        const isOnline = this.#state.is === "online" && !scope.signal.aborted
        if (isOnline) this.#completeness.end(Math.max(0, Date.now() - since))
        resolve(error)
      }
      scope.signal.addEventListener("abort", () => resolve(undefined), {once: true})
    })
    const tooLong = setTimeout(() => lose(new Error(`no connection within ${openTimeout / 1000} s`)), openTimeout)
    scope.defer(() => clearTimeout(tooLong))
    this.#coversSince = Number.POSITIVE_INFINITY
    try {
      const cursor = this.#hooks.cursorOf && (await this.#hooks.cursorOf(this))
      if (hasBackfill(this.spec) && this.#hooks.backfill?.isDue(this) === true) this.#backfills?.hold(scope.signal)
      const accept = (take: AcceptSocket) => {
        if (scope.signal.aborted) return
        clearTimeout(tooLong)
        this.#accepting = {take, signal: scope.signal}
      }
      const opening = open(this.#handle(scope, lose, cursor, accept)).then(requireSender)
      const opened = await Promise.race([opening, lost.then(error => ({lostBefore: error}))])
      if ("lostBefore" in opened) return opened.lostBefore
      clearTimeout(tooLong)
      const sender = ownedBy(this.spec, opened, this.#file, this.#calls)
      const send: Sender["send"] = async (...message) => {
        const sent = await sender.send(...message)
        this.past.lastSentAt = Date.now()
        return sent
      }
      this.#connection = {opened, sender: {...sender, send}, signal: scope.signal}
      this.#completeness.begin(() => this.spec.own(() => opened.lag?.()))
      this.#enter({is: "online"})
      this.#hooks.online(this)
      return await lost
    } catch (error) {
      return error
    } finally {
      this.#connection = undefined
      this.#accepting = undefined
      this.#unreadable.clear()
      this.#closing.signal.removeEventListener("abort", end)
      await scope.dispose()
    }
  }

  #handle(
    scope: Scope,
    lose: EndpointHandle["lost"],
    cursor: string | undefined,
    accept: EndpointHandle["accept"],
  ): EndpointHandle {
    const receive = (events: readonly Incoming[], options?: ReceiveOptions) => this.#receive(scope, events, options)
    const isMany = (events: Incoming | readonly Incoming[]): events is readonly Incoming[] => Array.isArray(events)
    return {
      name: this.spec.name,
      cursor,
      log: this.spec.log,
      signal: scope.signal,
      receive: (async (events: Incoming | readonly Incoming[], options?: ReceiveOptions) =>
        isMany(events) ? receive(events, options) : (await receive([events], options))[0]) as EndpointHandle["receive"],
      defer: undo => scope.defer(undo),
      login: login => {
        this.#login = requireLogin(login)
        this.#hooks.named?.(this)
      },
      file: this.#file,
      load: this.spec.load,
      verifier: async verify => (await import("../runtime/signatures/verifier.ts")).createVerifier(verify),
      post,
      openSocket,
      lost: lose,
      covers: since => {
        if (!scope.signal.aborted) this.#coversSince = since
      },
      missing: () => this.#miss(scope),
      unknown: what => {
        this.#unknowns++
        this.spec.log.debug(`${this.spec.name} left out something that it does not know: ${what.slice(0, 100)}`)
      },
      unreadable: (place, reason) => {
        if (reason === undefined || scope.signal.aborted) return void this.#unreadable.delete(place)
        if (this.#unreadable.get(place)?.why !== reason.why)
          this.spec.log.warn(`${this.spec.name} cannot read ${place}: ${reason.why}`, {remediation: reason.remediation})
        this.#unreadable.set(place, reason)
      },
      accept,
    }
  }

  readonly #file: OpenShown = async element => this.#hooks.file?.(element)

  #miss(scope: Scope): () => void {
    const part = Symbol()
    const end = () => {
      if (this.#missing.delete(part)) this.#hooks.listening?.(this)
    }
    if (scope.signal.aborted) return end
    this.#missing.add(part)
    scope.defer(end)
    this.#hooks.listening?.(this)
    return end
  }

  #createBackfills(hooks: BackfillHooks): Backfills {
    return new Backfills({
      name: this.spec.name,
      log: () => this.spec.log,
      ends: most => hooks.ends(this, most),
      store: async (events, connection) => {
        this.#requireAdmission(connection)
        const others = events.filter(({user}) => user?.id !== this.#login?.user?.id)
        if (others.length === 0) return
        await this.#hooks.receive(this, others)
        this.past.lastEventAt = Date.now()
      },
      isClosed: () => this.admission.is === "closed",
      spoil: () => hooks.spoil(this),
    })
  }

  #requireAdmission(signal: AbortSignal): void {
    const admission = this.ownAdmission
    if (admission.is === "closed" || signal.aborted) {
      const reason = admission.is === "closed" ? admission.reason : "connection_ended"
      throw new Problem("admission_closed", `${this.spec.name} does not admit events: ${reason}`)
    }
    if (this.#hooks.isPaused?.() === true) {
      this.past.refusedSince ??= Date.now()
      throw new Problem("ingress_paused", `${this.spec.name} admits no events while ingress is paused`, {retryAfter})
    }
  }

  async #receive(scope: Scope, events: readonly Incoming[], options?: ReceiveOptions): Promise<readonly Receipt[]> {
    this.#requireAdmission(scope.signal)
    requireCursor(options?.cursor)
    const receipts = await this.#completeness.storing(async () => {
      if (this.#backfills?.isOpen === false) {
        await this.#backfills.turn(events.flatMap(({channel}) => channel?.id ?? []))
        this.#requireAdmission(scope.signal)
      }
      return this.#store(events, options)
    })
    if (events.length > 0) this.past.lastEventAt = Date.now()
    if (events.some(({isKept}) => isKept !== true)) this.past.refusedSince = undefined
    return receipts
  }

  async #store(events: readonly Incoming[], options?: ReceiveOptions): Promise<readonly Receipt[]> {
    try {
      return await this.#hooks.receive(this, events, options)
    } catch (error) {
      if (!isProblem(error, "event_invalid")) this.#hooks.unstored?.(this)
      throw error
    }
  }
}
