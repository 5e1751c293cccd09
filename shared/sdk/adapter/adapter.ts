import type {Log} from "../../log.ts"
import type {Static, TSchema} from "../../type.ts"
import type {Element} from "../elements.ts"
import type {StoredFile} from "../files/file-source.ts"
import type {Login} from "../satori.ts"
import type {DatedIncoming, Incoming} from "./incoming.ts"
import type {Answered, Post} from "./post.ts"
import type {Feature, Limits, RateLimit, Sender} from "./sender.ts"
import type {AcceptSocket} from "./socket.ts"

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
   * The stored file that an element of an outgoing message shows; undefined for an element whose `src` is none, such as a URL.
   * Throws a refusal (`file_missing`) where the file is gone.
   */
  file(element: Element): Promise<StoredFile | undefined>
  /**
   * Loads one of the adapter's `libraries` or `packages`: the project's package, else that of svc. Throws a refusal (`library_missing`) with the
   * command that installs it, also where it does not load.
   */
  load<L = unknown>(library: string): Promise<L>
  /**
   * Posts a short text and resolves with the head of the answer; its body is dropped, and no redirect is followed. On Node it takes
   * a fifth of the processor time of `fetch`. Rejects as `fetch` does.
   */
  post(url: string, post: Post): Promise<Answered>
  /**
   * The connection is gone: the Host closes this attempt and opens another after a pause. `since`, in milliseconds since
   * 1970: when it was last known to be good, where that is longer ago than `lag` says.
   */
  lost(error: Error, known?: {readonly since?: number}): void
  /**
   * With `history: "none"`, before `open` resolves: all that was said since then comes in, in milliseconds since 1970, because
   * the platform goes on behind the cursor. A gap that began no earlier ends as `filled`, and no history is asked for.
   */
  covers(since: number): void
  /**
   * The connection holds, but part of what is said there does not come in until the function is called: the Host lists the
   * interval as a gap. The end of the connection ends it too.
   */
  missing(): () => void
  /**
   * Lets the platform's WebSockets in from now on, at `/hooks/<plugin>/<endpoint_name>`: for an account whose definition says so by
   * `sockets`. An `open` that has called it has no limit of time. All of them are closed (1001) with this attempt.
   */
  accept(take: AcceptSocket): void
}

/**
 * What happens to messages while the endpoint is offline. `replay`: the platform delivers them again. `none`: they are lost,
 * and the Host lists each such interval as a gap. `inside`: the platform is a part of the Host, so nothing can be said
 * while the Host is stopped, and the platform refuses messages while the endpoint is closed: there are no gaps.
 */
export type History = "replay" | "none" | "inside"

/** What `endpoint.receive` takes of an adapter: a platform that replays dates its events. */
export type IncomingOf<H extends History> = H extends "replay" ? DatedIncoming : Incoming

/** What `check` found out about an account. */
export interface AdapterFinding {
  /** What was looked at: `credentials`, `scope chat:write`, `permission to send in #team`. */
  readonly what: string
  readonly ok: boolean
  /** What the platform said, such as the bot's name; never a secret. */
  readonly detail?: string
  /** What to do on the platform's side, or in the configuration, where it is not ok. */
  readonly remediation?: string
}

/** What a check may use. */
export interface CheckTools extends Pick<Endpoint, "load" | "log"> {
  /** Aborted when the check has taken too long, or the Host stops. */
  readonly signal: AbortSignal
}

export interface AdapterDefinition<A extends TSchema, S extends Sender = Sender, H extends History = History> {
  readonly description?: string
  /** The schema of one `endpoints[]` entry beside its `id`. Without it the slot is one endpoint that needs no account. */
  readonly account?: A
  readonly history: H
  /**
   * With `history: "replay"`: does the platform forget a message once it is acknowledged? What was acknowledged after a checkpoint
   * then does not come again after a restore from it, and the Host lists a gap. Leave it out where the platform delivers again from a
   * restored cursor.
   */
  readonly forgetsAcknowledged?: boolean
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
  /** Those of `features` that this account has not, where that goes by its settings. */
  lacks?(account: Static<A>): readonly Feature[]
  readonly limits?: Limits
  /**
   * npm packages that `load` loads at first use, each in the exact version that the adapter is tested with. They are no dependencies:
   * `svc adapter add` installs them.
   */
  readonly libraries?: Readonly<Record<string, string>>
  /** npm packages that an account names, in any version: `load` loads them as well. The operator installs them. */
  packages?(account: Static<A>): readonly string[]
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
   * Asks the platform whether an account can work, for `svc adapter check`: credentials, scopes, permissions. It changes nothing there,
   * and leaves a connection that is open alone. What the platform refuses is a finding; throw where it cannot be asked.
   */
  check?(account: Static<A>, tools: CheckTools): Promise<readonly AdapterFinding[]>
  /**
   * Answers `POST` and `GET /hooks/<plugin>/<endpoint_name>` with what `open` resolved to. The body is as the platform sent
   * it, at most 1 MiB: verify the platform's own signature before anything is parsed, and answer 2xx only once
   * `endpoint.receive` has resolved. What is thrown is answered as a problem; the Host's token is never handed over.
   */
  webhook?(request: Request, opened: S): Promise<Response>
  /**
   * Does the platform of this account open WebSockets to `/hooks/<plugin>/<endpoint_name>`? Then `open` calls `endpoint.accept`, and the
   * endpoint takes no webhooks. The Host asks the platform to come again (503) while the endpoint is not open.
   */
  sockets?(account: Static<A>): boolean
}
