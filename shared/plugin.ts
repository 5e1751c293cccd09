import type {Arguments, Cooldown, OptionDefinition, Options} from "./command.ts"
import type {Content, Element, Node} from "./elements.ts"
import type {PluginPath} from "./ids.ts"
import type {Log} from "./log.ts"
import type {Permission} from "./permission.ts"
import type {DeclarePrompt} from "./prompt.ts"
import type {Call, Scope} from "./route.ts"
import type {Channel, Login, Message, SatoriEvent, User} from "./satori.ts"
import type {Static, TSchema} from "./type.ts"

/** What a handler may return: its reply, or nothing. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler written without a return has the type void
export type Reply = Content | undefined | void | Promise<Content | undefined | void>

/** Where a message goes: an endpoint by its name, and a channel of its platform. */
export interface Target {
  readonly endpoint: string
  readonly channel: string
}

/** One event in the hands of one handler. Ended by the handler's end; later calls throw `late`. */
export interface Session {
  readonly event: SatoriEvent
  /** The message as plain text, empty for events without one. */
  readonly text: string
  readonly elements: readonly Node[]
  readonly user: User | undefined
  readonly channel: Channel | undefined
  /** The name of the endpoint that the event came in through. */
  readonly endpoint: string
  /** What the rules of `permissions` give this user here. */
  readonly permission: Permission
  /** Aborted when the handler's time ends or the Host stops. */
  readonly signal: AbortSignal
  readonly log: Log
  /**
   * Queues a message to this conversation, or to `to`; resolves to its outbox id at once. It is committed together
   * with the handler's mark, so a handler that throws has sent nothing.
   */
  send(content: Content, to?: Target): Promise<string>
  /** Like `send`, quoting the message that is being handled. */
  reply(content: Content): Promise<string>
  /** Queues a reaction to the message that is being handled. */
  react(emoji: string): Promise<string>
  /**
   * Sends now, not at the handler's end: resolves to the outbox id once the message is durable, whatever the handler
   * does then. Where the handler runs again, its first `sendNow` is its first again, and so on: not sent a second time,
   * the same id.
   */
  sendNow(content: Content, to?: Target): Promise<string>
  /**
   * Asks the user a question, and ends there: the next message of this user in this channel goes to the plugin's prompt
   * of that name, with `data`, after a restart too. Queued like `send`. Throws `prompt_unknown`.
   */
  prompt(name: string, question: Content, data?: unknown): Promise<string>
  readonly database: SessionDatabase
}

/** The plugin's tables in the hands of one handler. */
export interface SessionDatabase extends Pick<PluginDatabase, "table" | "read"> {
  /**
   * Queues statements; they are stored in one batch with the handler's mark, or not at all. `read` does not see them
   * before. A statement that the database refuses fails the handler.
   */
  write(statements: readonly Statement[]): Promise<void>
}

/** What `on` and `command` take beside the handler. */
export interface HandlerDefinition {
  /** A handler that throws is run again so often (at most 10), after growing pauses, before the conversation goes on. */
  readonly retries?: number
}

/** Lets an event go on, to the middleware behind and the handlers; resolves when they have ended. Once is enough. */
export type Next = () => Promise<void>

/**
 * Runs around the handlers of every event. Ended without `next`, the event stops there: its handlers do not run. What it
 * sends is stored with a mark of its own, after what the handlers inside have sent.
 */
export type Middleware = (session: Session, next: Next) => Reply

export interface CommandCall<P extends string, O extends Record<string, OptionDefinition>> {
  readonly args: Readonly<Arguments<P>>
  readonly options: Options<O>
  readonly session: Session
}

export interface CommandDefinition<O extends Record<string, OptionDefinition> = Record<never, never>>
  extends HandlerDefinition {
  readonly description?: string
  /** Other first words for the same command. */
  readonly aliases?: readonly string[]
  readonly options?: O
  /** Lines for `help`: how it is used. */
  readonly examples?: readonly string[]
  /** Left out of the list that `help` shows. */
  readonly hidden?: boolean
  /** Who may call it; for others it is not in `help`. Everybody when left out. */
  readonly permission?: Permission
  readonly cooldown?: Cooldown
}

/** What an adapter hands to `endpoint.receive`: a Satori event without what the Host adds. */
export interface Incoming {
  /** The platform's id of this event. The same id again is stored once. */
  readonly id: string
  readonly type: string
  /** Milliseconds since 1970; now when left out. */
  readonly timestamp?: number
  readonly channel?: Channel
  readonly guild?: {readonly id: string; readonly name?: string}
  readonly user?: User
  /** `content` in Satori elements; `renderContent` makes it from a tree or plain text. */
  readonly message?: Message
  /** The platform's own name of the event, and its payload as it came, stored beside the event. */
  readonly raw?: {readonly type: string; readonly data: unknown}
}

export interface Receipt {
  /** The event's sequence in the inbox. */
  readonly sn: number
  /** True when this platform id was stored before. */
  readonly duplicate: boolean
}

/** One endpoint in the hands of its adapter, from one `open` to its close. */
export interface Endpoint {
  readonly name: string
  readonly log: Log
  /** Aborted when the endpoint closes. */
  readonly signal: AbortSignal
  /** Resolves once the event is durable: only then acknowledge it to the platform. Throws `admission_closed`, `ingress_paused`. */
  receive(event: Incoming): Promise<Receipt>
  /** Registers the undo of something acquired; run in reverse order when the endpoint closes or reconnects. */
  defer(undo: () => unknown): void
  /** Who the bot is on the platform. */
  login(login: Login): void
  /**
   * The connection is gone: the Host closes this attempt and opens another after a pause. `since`, in milliseconds since
   * 1970: when it was last known to be good, where that is longer ago.
   */
  lost(error: Error, known?: {readonly since?: number}): void
}

export interface Outgoing {
  /** The outbox id: the same for every attempt. */
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

export interface Sender {
  /** Resolves when the platform has taken the message, to the platform's ids of it. */
  send(message: Outgoing, signal: AbortSignal): Promise<{readonly ids: readonly string[]}>
  react?(reaction: Reaction, signal: AbortSignal): Promise<void>
}

/** At most so many messages begin within any `per` milliseconds. */
export interface RateLimit {
  readonly messages: number
  readonly per: number
}

export interface AdapterDefinition<A extends TSchema, S extends Sender = Sender> {
  readonly description?: string
  /** The schema of one `endpoints[]` entry beside its `id`. Without it the slot is one endpoint that needs no account. */
  readonly account?: A
  /** Does the platform deliver again what was missed while the endpoint was away? */
  readonly history: "replay" | "none"
  /** Does the platform drop a repeated send with the same id? */
  readonly idempotent?: boolean
  /**
   * Does another attempt go on where one that ran out of time ended? Else such a message may have arrived, and is treated
   * like one that the Host's death interrupted.
   */
  readonly resumes?: boolean
  /** The platform's limit for one account; the configuration may add a tighter one. */
  readonly rate?: RateLimit
  /**
   * May anybody take a user's id, as a nick on IRC? Then no rule of `permissions` gives more by `user`; who somebody is
   * has to be told by `user.account`.
   */
  readonly claimedUsers?: boolean
  /** Are ids the same in capitals and small letters (of ASCII)? Rules of `permissions` are then read so. */
  readonly ignoresCase?: boolean
  /** Connects. Throw `refused(…)` where another attempt would not help; anything else is tried again after a pause. */
  open(account: Static<A>, endpoint: Endpoint): Promise<S>
  /**
   * Answers `POST` and `GET /hooks/<plugin>/<endpoint_name>` with what `open` resolved to. The body is as the platform sent
   * it, at most 1 MiB: verify the platform's own signature before anything is parsed, and answer 2xx only once
   * `endpoint.receive` has resolved. What is thrown is answered as a problem; the Host's token is never handed over.
   */
  webhook?(request: Request, opened: S): Promise<Response>
}

export interface PluginRoute {
  readonly method: "GET" | "POST" | "PUT" | "DELETE"
  /** Below `/api/plugins/<name>`, for example `/messages`. */
  readonly path: string
  readonly scope: Exclude<Scope, "none" | "signature">
  readonly summary: string
  readonly body?: TSchema
  readonly query?: TSchema
  readonly response?: TSchema
  /** An endless answer: not held to the request time-out. */
  readonly stream?: boolean
  handle(request: Request, call: Call): Response | Promise<Response>
}

export interface PluginMigration {
  readonly name: string
  /** `table("notes")` is the plugin's own name for its table. */
  readonly up: (table: (name: string) => string) => readonly string[]
}

export type SqlValue = string | number | bigint | boolean | null | ArrayBuffer | Uint8Array
export interface Statement {
  readonly sql: string
  readonly args?: readonly SqlValue[]
}
export type Row = Readonly<Record<string, SqlValue>>

/** The plugin's own tables in the project's database. */
export interface PluginDatabase {
  /** The full name of one of the plugin's tables. */
  table(name: string): string
  /** Run in order, each once and in a transaction of its own, before the generation is committed. Call it in `setup`. */
  migrate(migrations: readonly PluginMigration[]): void
  read(sql: string, args?: readonly SqlValue[]): Promise<readonly Row[]>
  /** One atomic batch; durable when it resolves. */
  write(statements: readonly Statement[]): Promise<void>
}

/** What `setup` gets. All of it is undone when the instance is disposed. */
export interface Plugin {
  readonly name: string
  readonly path: PluginPath
  /** The project's folder. */
  readonly project: string
  readonly log: Log
  /** Aborted when the instance is disposed. */
  readonly signal: AbortSignal
  readonly database: PluginDatabase
  /** Registers the undo of something acquired; run in reverse order when the instance is disposed. */
  defer(undo: () => unknown): void
  command<P extends string>(pattern: P, handler: (call: CommandCall<P, Record<never, never>>) => Reply): void
  command<P extends string, const O extends Record<string, OptionDefinition> = Record<never, never>>(
    pattern: P,
    definition: CommandDefinition<O>,
    handler: (call: CommandCall<P, O>) => Reply,
  ): void
  /** Handles every event of a Satori type, for example `message-created`. */
  on(type: string, handler: (session: Session) => Reply): void
  on(type: string, definition: HandlerDefinition, handler: (session: Session) => Reply): void
  /** Around every event, in the order of the plugins in the configuration, then in that of these calls. */
  middleware(around: Middleware): void
  /** Declares what goes on when a question of `session.prompt` is answered. */
  prompt: DeclarePrompt
  adapter<A extends TSchema, S extends Sender>(slot: string, adapter: AdapterDefinition<A, S>): void
  route(route: PluginRoute): void
}

export interface PluginDefinition<C extends TSchema = TSchema> {
  readonly description?: string
  /** The schema of `plugins.<name>.config`. */
  readonly config?: C
  /** Declares what the plugin publishes. It never connects; an adapter's `open` does. */
  setup(plugin: Plugin, config: Static<C>): void | Promise<void>
}

/** Any plugin, whatever its configuration. */
export interface AnyPlugin {
  readonly description?: string
  readonly config?: TSchema
  setup(plugin: Plugin, config: never): void | Promise<void>
}

/** Marks what `definePlugin` made, across copies of this module. */
const brand = Symbol.for("svc.plugin")

/** Declares a plugin: the default export of its file. */
export const definePlugin = <C extends TSchema>(definition: PluginDefinition<C>): PluginDefinition<C> =>
  Object.defineProperty({...definition}, brand, {value: 1})

export const isPlugin = (value: unknown): value is PluginDefinition =>
  typeof value === "object" && value !== null && brand in value

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

export type {Content, Element, Node}
