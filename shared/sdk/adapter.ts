import type {Log} from "../log.ts"
import type {Static, TSchema} from "../type.ts"
import type {Node} from "./elements.ts"
import type {Channel, Login, Message, User} from "./satori.ts"

/** What an adapter hands to `endpoint.receive`: a Satori event without what the Host adds. */
export interface Incoming {
  /** The platform's id of this event. The same id again is stored once. */
  readonly id: string
  readonly type: string
  /**
   * Milliseconds since 1970; now when left out. An adapter with `history: "replay"` gives it (`DatedIncoming`): after a restore
   * it tells what the replaced state had handled, and what is too old to be known if it comes again.
   */
  readonly timestamp?: number
  readonly channel?: Channel
  readonly guild?: {readonly id: string; readonly name?: string}
  readonly user?: User
  /** `content` in Satori elements; `renderContent` makes it from a tree or plain text. */
  readonly message?: Message
  /** The platform's own name of the event, and its payload as it came, stored beside the event. */
  readonly raw?: {readonly type: string; readonly data: unknown}
}

/** What an adapter hands over whose platform replays. */
export interface DatedIncoming extends Incoming {
  readonly timestamp: number
}

export interface Receipt {
  /** The event's sequence in the inbox; 0 for one that was dropped. */
  readonly sn: number
  /** True when this platform id was stored before. */
  readonly duplicate: boolean
  /** True when it is older than `retention.duplicates` allows: it may have been handled long ago. Counted and shown. */
  readonly dropped: boolean
}

export interface ReceiveOptions {
  /** Where the platform goes on behind these events: text of the adapter's own, at most 64 KiB. */
  readonly cursor?: string
}

/** One endpoint in the hands of its adapter, from one `open` to its close. */
export interface Endpoint<I extends Incoming = Incoming> {
  readonly name: string
  /** What was stored last by `receive`, as it was when this attempt began; undefined where nothing was. */
  readonly cursor: string | undefined
  readonly log: Log
  /** Aborted when the endpoint closes. */
  readonly signal: AbortSignal
  /**
   * Resolves once the event is durable: only then acknowledge it to the platform. Throws `admission_closed`, `ingress_paused`,
   * `event_invalid`.
   */
  receive(event: I, options?: ReceiveOptions): Promise<Receipt>
  /** Stores any number of events and the cursor in one batch: all of it, or nothing. One receipt for each event. */
  receive(events: readonly I[], options?: ReceiveOptions): Promise<readonly Receipt[]>
  /** Registers the undo of something acquired; run in reverse order when the endpoint closes or reconnects. */
  defer(undo: () => unknown): void
  /** Who the bot is on the platform. */
  login(login: Login): void
  /**
   * The connection is gone: the Host closes this attempt and opens another after a pause. `since`, in milliseconds since
   * 1970: when it was last known to be good, where that is longer ago than `lag` says.
   */
  lost(error: Error, known?: {readonly since?: number}): void
  /**
   * The connection holds, but part of what is said there does not come in until the function is called: the Host lists the
   * interval as a gap. The end of the connection ends it too.
   */
  missing(): () => void
}

export interface Outgoing {
  /**
   * The outbox id: the same for every attempt. Of a message that the Host splits by `limits.text`, this is the first part;
   * the others have `<id>.2`, `<id>.3` and so on, the same for every attempt too.
   */
  readonly id: string
  readonly channel: string
  readonly content: readonly Node[]
}

export interface Reaction {
  readonly id: string
  readonly channel: string
  readonly message: string
  readonly emoji: string
}

/** One message of a platform, as an act names it. */
export interface Referred {
  /** The outbox id of the act: the same for every attempt. */
  readonly id: string
  readonly channel: string
  /** The platform's id of the message. */
  readonly message: string
}

export interface Edit extends Referred {
  readonly content: readonly Node[]
}

/** Messages of one channel beside one that is known: `before` or `after` the platform's id of a message, neither for the newest. */
export interface HistoryQuery {
  readonly channel: string
  readonly before?: string
  readonly after?: string
  /** At most this many. */
  readonly limit: number
}

export interface HistoryPage {
  /** In the order in which they were said. */
  readonly events: readonly DatedIncoming[]
  /** True when the platform has more in that direction. */
  readonly more: boolean
}

/** A command of the bot, as a platform lists it for its users. */
export interface CommandSummary {
  readonly name: string
  readonly description: string
}

/** What one connected account can do. An adapter declares in `features` which of the optional acts it has. */
export interface Sender {
  /** Resolves when the platform has taken the message, to the platform's ids of it. */
  send(message: Outgoing, signal: AbortSignal): Promise<{readonly ids: readonly string[]}>
  /** Replaces the content of one message. */
  edit?(edit: Edit, signal: AbortSignal): Promise<void>
  delete?(message: Referred, signal: AbortSignal): Promise<void>
  react?(reaction: Reaction, signal: AbortSignal): Promise<void>
  /** Takes back a reaction of the bot. */
  unreact?(reaction: Reaction, signal: AbortSignal): Promise<void>
  /** Shows for a few seconds that the bot is writing. Best effort. */
  typing?(channel: string, signal: AbortSignal): Promise<void>
  /** The direct channel to a user, made if there is none. */
  open?(user: string, signal: AbortSignal): Promise<Channel>
  /**
   * With `history: "none"` the Host fetches by this what was missed in a gap, and `endpoint.receive` waits meanwhile: do not wait
   * for `receive` inside `open`, nor where this answer comes in behind it. An event has the same `id` as it has live.
   */
  history?(query: HistoryQuery, signal: AbortSignal): Promise<HistoryPage>
  /** Replaces the list of the bot's commands that the platform shows. */
  commands?(commands: readonly CommandSummary[], signal: AbortSignal): Promise<void>
  /** A method of Satori v1 (`guild.member.mute`) with its parameters; resolves to its answer. Those in `features`. */
  call?(method: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown>
  /**
   * So many milliseconds ago, all that the platform had was handed to `endpoint.receive`: what an interval that the Host
   * lists as a gap begins earlier by. Must be quick. Left out, it is taken for 10,000.
   */
  lag?(): number
  /**
   * Resolves once all that the platform had at the call was handed to `endpoint.receive`; `lag` says so from then on. Asked
   * for before a planned stop, which waits a second for it, so that what was on its way still comes in. Without it and
   * without `lag`, a planned stop takes it that nothing was.
   */
  catchUp?(signal: AbortSignal): Promise<void>
}

/** An optional act of `Sender`. */
export const senderFeatures = ["edit", "delete", "react", "unreact", "typing", "open", "history", "commands"] as const
export type SenderFeature = (typeof senderFeatures)[number]

/** An act, or a Satori method such as `guild.member.mute`. */
export type Feature = SenderFeature | `${string}.${string}`

export interface Limits {
  /**
   * The longest text of one message, in UTF-16 code units of its plain text (`textOf`). The Host sends longer ones in parts,
   * each a call of `send`; an element that alone is longer comes as a part of its own.
   */
  readonly text?: number
}

/** At most so many messages begin within any `per` milliseconds. */
export interface RateLimit {
  readonly messages: number
  readonly per: number
}

/**
 * What happens to messages while the endpoint is offline. `replay`: the platform delivers them again. `none`: they are lost,
 * and the Host lists each such interval as a gap. `inside`: the platform is a part of the Host, so nothing can be said
 * while the Host is stopped, and the platform refuses messages while the endpoint is closed: there are no gaps.
 */
export type History = "replay" | "none" | "inside"

/** What `endpoint.receive` takes of an adapter: a platform that replays dates its events. */
export type IncomingOf<H extends History> = H extends "replay" ? DatedIncoming : Incoming

export interface AdapterDefinition<A extends TSchema, S extends Sender = Sender, H extends History = History> {
  readonly description?: string
  /** The schema of one `endpoints[]` entry beside its `id`. Without it the slot is one endpoint that needs no account. */
  readonly account?: A
  readonly history: H
  /** Does the platform drop a repeated send with the same id? */
  readonly idempotent?: boolean
  /**
   * Does another attempt go on where one that ran out of time ended? Else such a message may have arrived, and is treated
   * like one that the Host's death interrupted.
   */
  readonly resumes?: boolean
  /** The platform's limit for one account; the configuration may add a tighter one. */
  readonly rate?: RateLimit
  /** The optional acts of `Sender` that the platform has, and the Satori methods that `call` takes. */
  readonly features?: readonly Feature[]
  readonly limits?: Limits
  /**
   * May anybody take a user's id, as a nick on IRC? Then no rule of `permissions` gives more by `user`; who somebody is
   * has to be told by `user.account`.
   */
  readonly claimedUsers?: boolean
  /** Are ids the same in capitals and small letters (of ASCII)? Rules of `permissions` are then read so. */
  readonly ignoresCase?: boolean
  /** Connects. Throw `refused(…)` where another attempt would not help; anything else is tried again after a pause. */
  open(account: Static<A>, endpoint: Endpoint<IncomingOf<H>>): Promise<S>
  /**
   * Answers `POST` and `GET /hooks/<plugin>/<endpoint_name>` with what `open` resolved to. The body is as the platform sent
   * it, at most 1 MiB: verify the platform's own signature before anything is parsed, and answer 2xx only once
   * `endpoint.receive` has resolved. What is thrown is answered as a problem; the Host's token is never handed over.
   */
  webhook?(request: Request, opened: S): Promise<Response>
}

const refusal = Symbol.for("svc.refused")

export interface Refusal extends Error {
  readonly reason: string
  readonly remediation: string
}

/** The error for an `open` or a `send` that would fail again: wrong credentials, an unknown channel. */
export const refused = (message: string, why: {reason: string; remediation: string; cause?: unknown}): Refusal =>
  Object.assign(new Error(message, why.cause === undefined ? undefined : {cause: why.cause}), {
    [refusal]: true,
    reason: why.reason,
    remediation: why.remediation,
  })

export const isRefusal = (error: unknown): error is Refusal => error instanceof Error && refusal in error

const postponed = Symbol.for("svc.retryAfter")

/**
 * The error for a `send` that the platform did not take and wants later: after so many milliseconds, or after what an
 * HTTP answer's `Retry-After` says (seconds or a date; a second where it says nothing). The attempt does not count.
 */
export const retryAfter = (wait: number | string | null, message = "the platform asks to wait"): Error =>
  Object.assign(new Error(message), {[postponed]: typeof wait === "number" ? wait : readRetryAfter(wait)})

const readRetryAfter = (header: string | null): number => {
  if (header !== null && /^\s*[0-9]+(\.[0-9]+)?\s*$/.test(header)) return Number(header) * 1000
  const at = Date.parse(header ?? "")
  return Number.isNaN(at) ? 1000 : at - Date.now()
}

/** The milliseconds of an error that `retryAfter` made. */
export const postponementOf = (error: unknown): number | undefined => {
  const wait: unknown = error instanceof Error && postponed in error ? error[postponed] : undefined
  return typeof wait === "number" && !Number.isNaN(wait) ? wait : undefined
}
