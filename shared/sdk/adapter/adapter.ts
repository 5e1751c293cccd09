import type {Log} from "../../log.ts"
import type {Static, TSchema} from "../../type.ts"
import type {Element} from "../content/elements.ts"
import type {StoredFile} from "../content/file-source.ts"
import type {Login} from "../content/satori.ts"
import type {DatedIncoming, Incoming} from "./incoming.ts"
import type {OwnMethods} from "./own-methods.ts"
import type {Answered, Post} from "./post.ts"
import type {Feature, Limits, RateLimit, Sender} from "./sender.ts"
import type {AcceptSocket, PlatformSocket, SocketHandler, SocketInit} from "./socket.ts"
import type {Verifier, Verify} from "./verify.ts"

export interface Receipt {
  /** The event's sequence in the inbox; 0 if the Host dropped it. */
  readonly sn: number
  /** True if an event with this platform id was stored before. */
  readonly duplicate: boolean
  /** True if the event is older than `retention.duplicates` keeps ids: perhaps handled, so svc drops and counts it. */
  readonly dropped: boolean
}

export interface ReceiveOptions {
  /** The position after these events at which the platform resumes: text in the adapter's format, at most 64 KiB. */
  readonly cursor?: string
}

/** Why a place cannot be read, and what somebody may do about it. */
export interface Unreadable {
  readonly why: string
  readonly remediation: string
}

/** One endpoint, as its adapter receives it, from one `open` to its close. */
export interface Endpoint<I extends Incoming = Incoming> {
  readonly name: string
  /** The last stored cursor when this attempt began; undefined if there was none. */
  readonly cursor: string | undefined
  readonly log: Log
  /** Aborted when the endpoint closes. */
  readonly signal: AbortSignal
  /**
   * Stores an event and resolves once it is durable. Acknowledge it to the platform only then. Throws
   * `admission_closed`, `ingress_paused`, `event_invalid`.
   */
  receive(event: I, options?: ReceiveOptions): Promise<Receipt>
  /** Stores any number of events and the cursor in one batch, all or nothing. Resolves to a receipt for each event. */
  receive(events: readonly I[], options?: ReceiveOptions): Promise<readonly Receipt[]>
  /** Registers the undo of something acquired. The undos run in reverse when the endpoint closes or reconnects. */
  defer(undo: () => unknown): void
  /** Reports the bot's account on the platform. */
  login(login: Login): void
  /**
   * Returns the stored file that an element of an outgoing message shows; undefined if its `src` is not a stored file,
   * such as a URL. Throws a refusal (`file_missing`) if the file no longer exists.
   */
  file(element: Element): Promise<StoredFile | undefined>
  /**
   * Loads one of the adapter's `libraries` or `packages`: the project's package, or else svc's. If it is missing or
   * does not load, throws a refusal (`library_missing`) with the command that installs it.
   */
  load<L = unknown>(library: string): Promise<L>
  /**
   * Returns what verifies the platform's webhooks by their signatures, and signs others. Throws a refusal
   * (`secret_invalid`) for a secret that the scheme cannot use.
   */
  verifier(verify: Verify): Promise<Verifier>
  /**
   * Posts a short text and resolves with the head of the response. It drops the body and follows no redirect. On Node
   * it takes a fifth of the processor time of `fetch`. Rejects as `fetch` does.
   */
  post(url: string, post: Post): Promise<Answered>
  /**
   * Opens a WebSocket to the platform, and resolves once it is open. It reads no message above its limit, which the
   * global `WebSocket` does not have. Rejects after 15 s, and with the HTTP `status` if the platform refuses it.
   */
  openSocket(url: string, init: SocketInit, handler: SocketHandler): Promise<PlatformSocket>
  /**
   * Reports a lost connection. The Host closes this attempt and opens another after a pause. `since`, in milliseconds
   * since 1970, is when the connection was last known to work, if that is longer ago than `lag` says.
   */
  lost(error: Error, known?: {readonly since?: number}): void
  /**
   * For `history: "none"`; call it before `open` resolves. It reports that everything since then (milliseconds since
   * 1970) will arrive, because the platform resumes at the cursor. A gap that began no earlier ends as `filled`, and
   * the Host requests no history for it.
   */
  covers(since: number): void
  /**
   * Reports that the connection works but part of the messages do not arrive, until the returned function is called.
   * The Host records the interval as a gap. The end of the connection also ends it.
   */
  missing(): () => void
  /**
   * Counts something from the platform that the adapter does not know and leaves out: a new kind of event, or a value of
   * another type. `what` is the platform's word for it. The Host logs it at the level debug.
   */
  unknown(what: string): void
  /**
   * Reports why the account cannot read a place that it is in or should be in, such as an encrypted room. Without a
   * reason: it can now, or has left. The Host logs it and shows it with the endpoint; the end of the connection ends it.
   */
  unreadable(place: string, reason?: Unreadable): void
  /**
   * Accepts the platform's WebSockets from now on, at `/hooks/<plugin>/<endpoint_name>`, for an account that `sockets`
   * selects. An `open` that has called this has no time limit. The Host closes all of them (1001) when this attempt
   * ends.
   */
  accept(take: AcceptSocket): void
}

/**
 * What happens to messages while the endpoint is offline.
 *
 * - `replay`: the platform delivers them again.
 * - `none`: they are lost, and the Host records each such interval as a gap.
 * - `inside`: the platform is part of the Host, so nobody can send messages while the Host is stopped, and the platform
 *   rejects messages while the endpoint is closed. There are no gaps.
 */
export type History = "replay" | "none" | "inside"

/** The events that `endpoint.receive` accepts: a platform that replays must date its events. */
export type IncomingOf<H extends History> = H extends "replay" ? DatedIncoming : Incoming

/**
 * A part of an event that its platform may change when it delivers the event again. `elements`: everything in the
 * content but its text, such as the names in mentions and the addresses of files. `payload`: that of an event that
 * keeps it.
 */
export type Varying = "channel" | "elements" | "payload"

/** A finding of `check` about an account. */
export interface AdapterFinding {
  /** What the adapter checked: `credentials`, `scope chat:write`, `permission to send in #team`. */
  readonly what: string
  readonly ok: boolean
  /** The platform's response, such as the bot's name; never a secret. */
  readonly detail?: string
  /** What to do on the platform or in the configuration, if it is not ok. */
  readonly remediation?: string
}

/** The tools of a check. */
export interface CheckTools extends Pick<Endpoint, "load" | "log" | "openSocket"> {
  /** Aborted when the check times out or the Host stops. */
  readonly signal: AbortSignal
}

export interface AdapterDefinition<A extends TSchema, S extends Sender = Sender, H extends History = History> {
  readonly description?: string
  /** The schema of an `endpoints[]` entry besides its `id`. Without it, the slot is one endpoint without an account. */
  readonly account?: A
  readonly history: H
  /**
   * For `history: "replay"`: true if the platform forgets a message once it is acknowledged. Messages acknowledged
   * after a checkpoint then do not arrive again after a restore from it, and the Host records a gap. Leave it out if
   * the platform delivers again from a restored cursor.
   */
  readonly forgetsAcknowledged?: boolean
  /** True if the platform drops a repeated send with the same id. */
  readonly idempotent?: boolean
  /**
   * True if another attempt continues where a timed-out one ended. Otherwise the message may have arrived, and the
   * Host treats it like one interrupted by its own crash.
   */
  readonly resumes?: boolean
  /** The platform's rate limit for one account. The configuration may add a tighter one. */
  readonly rate?: RateLimit
  /** The optional acts of `Sender` that the platform has, and the Satori methods that `call` accepts. */
  readonly features?: readonly Feature[]
  /** The platform's own methods, which `call` accepts too, for plugins that declare `platform`. */
  readonly methods?: OwnMethods
  /** Returns the `features` that this account lacks, if that depends on its settings. */
  lacks?(account: Static<A>): readonly Feature[]
  readonly limits?: Limits
  /**
   * npm packages that `load` loads at first use, each in the exact version that the adapter is tested with. They are
   * not dependencies: `svc adapter add` installs them.
   */
  readonly libraries?: Readonly<Record<string, string>>
  /** Returns the npm packages that an account names, in any version. `load` loads them too. Operators install them. */
  packages?(account: Static<A>): readonly string[]
  /**
   * True if anybody can take a user's id, as with a nick on IRC. A rule of `permissions` then grants nothing by `user`;
   * rules identify people by `user.account`.
   */
  readonly claimedUsers?: boolean
  /**
   * Whether events have `user.roles`: `unique` if an id belongs to one role of one guild, and nobody can choose it;
   * `local` for words such as `admin`, which every channel has. A rule of `permissions` that grants something by a local
   * role must name the channel.
   */
  readonly roles?: "unique" | "local"
  /**
   * True if two events may have one id, because devices or senders choose it, or the platform starts over. The Host
   * then stores an event again unless its content is the same too.
   */
  readonly claimedIds?: boolean
  /** What the Host leaves out when it compares a repeated event. Times, names and payloads never count. */
  readonly varies?: readonly Varying[]
  /** True if ids ignore the case of ASCII letters. Rules of `permissions` then ignore it too. */
  readonly ignoresCase?: boolean
  /** Connects. Throw `refused(…)` if another attempt would not help. After any other error, the Host retries. */
  open(account: Static<A>, endpoint: Endpoint<IncomingOf<H>>): Promise<S>
  /**
   * Asks the platform whether an account can work, for `svc adapter check`: credentials, scopes, permissions. It
   * changes nothing there and does not disturb an open connection. Report what the platform refuses as a finding; throw
   * only if it cannot be asked.
   */
  check?(account: Static<A>, tools: CheckTools): Promise<readonly AdapterFinding[]>
  /**
   * Handles `POST` and `GET /hooks/<plugin>/<endpoint_name>`; `opened` is what `open` resolved to. The body is exactly
   * as the platform sent it, at most 1 MiB. Verify the platform's own signature before you parse anything, and respond
   * 2xx only once `endpoint.receive` has resolved. A thrown error becomes a problem response. The Host's token is never
   * passed on.
   */
  webhook?(request: Request, opened: S): Promise<Response>
  /**
   * Returns whether the platform of this account opens WebSockets to `/hooks/<plugin>/<endpoint_name>`. If so, `open`
   * calls `endpoint.accept`, and the endpoint accepts no webhooks. While the endpoint is not open, the Host asks the
   * platform to retry (503).
   */
  sockets?(account: Static<A>): boolean
}
