import type {Log} from "../../log.ts"
import type {Content, Node} from "../content/elements.ts"
import type {Channel, Guild, SatoriEvent, User} from "../content/satori.ts"
import type {SessionFile} from "../files/session-file.ts"
import type {CheckedMethod, ParametersOf} from "../platform/methods.ts"
import type {LocalText, TextKey, TextRest, Texts, TextTable, TextValues} from "../text/texts.ts"
import type {Arguments, Cooldown, OptionDefinition, Options} from "./command.ts"
import type {PluginDatabase, Statement} from "./database.ts"
import type {Handle, PromptHandle, TimerHandle} from "./handle.ts"
import type {EventFilter, HandlerDefinition} from "./handler.ts"
import type {Permission} from "./permission.ts"
import type {StateHandle, StateScope, StateValue} from "./state.ts"
import type {ListedTimer, TimerOptions, When} from "./timer.ts"

/**
 * A handler's return value: its reply, or nothing. An id that a session method resolved to does not count as a reply,
 * so a handler may end with `return session.prompt(…)`.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler written without a return has the type void
export type Reply = Content | undefined | void | Promise<Content | undefined | void>

/**
 * The target of a message: an endpoint by name, and either a channel of its platform or a user. For a user, the
 * endpoint opens the direct channel when the message is sent.
 */
export type Target =
  | {readonly endpoint: string; readonly channel: string; readonly user?: never}
  | {readonly endpoint: string; readonly user: string; readonly channel?: never}

/** The message that an act is about: the bot's own by the outbox id from `send`, or any by the platform's id. */
export type MessageTarget =
  | string
  | {
      readonly platform: string
      /** The channel; when left out, that of this conversation. The same applies to `endpoint`. */
      readonly channel?: string
      readonly endpoint?: string
    }

/** How long a message or an act may wait to be sent. */
export interface Expiry {
  /**
   * The last moment to send it, as a Date or in milliseconds since 1970. After that it ends as `expired`. When left
   * out, the endpoint's `outbox.maxAge` decides, if that is set. An invalid time throws `request_invalid`.
   */
  readonly notAfter?: Date | number
  /** Alerts the operator if it expires. */
  readonly important?: boolean
}

/** The message that a message answers, as far as its platform tells. */
export interface Quoted {
  /** The platform's id, for `{platform: id}`. */
  readonly id: string
  /** The outbox id if it is the bot's own, among its newest 10,000 messages: for `edit` and `delete`. */
  readonly outbox: string | undefined
  readonly user: User | undefined
  /** Empty if the platform sends only the id of another user's message: `plugin.ask` may get it. */
  readonly text: string
  readonly elements: readonly Node[]
  readonly files: readonly SessionFile[]
}

/**
 * An event as the platform sent it, without secrets and phone numbers. `isCut`: it had more than 64 KiB, so that long
 * texts, or all of `data`, are missing.
 */
export interface RawEvent {
  /** The platform's name of the event. */
  readonly type: string
  readonly data: unknown
  readonly isCut?: true
}

/** One event, as one handler receives it. The session ends with the handler; later calls throw `late`. */
export interface Session {
  /** `raw` is the platform's own event, if the plugin declares `raw`, the adapter has it, and the Host still has it. */
  readonly event: SatoriEvent & {readonly raw?: RawEvent}
  /** The text that the user wrote: plain text, without files and link addresses. Empty for events without a message. */
  readonly text: string
  readonly elements: readonly Node[]
  /** The images, audio, videos and other files of the message, in order, without those of a quoted message. */
  readonly files: readonly SessionFile[]
  readonly user: User | undefined
  readonly channel: Channel | undefined
  readonly guild: Guild | undefined
  /** Resolves to the message that this one answers. It asks the database, and never the platform. */
  quoted(): Promise<Quoted | undefined>
  /**
   * How old the event was when this attempt began, in milliseconds: since the platform's server says it was written, or
   * since it arrived. Pauses for a release do not count.
   */
  readonly age: number
  /** The name of the endpoint that the event came in through. */
  readonly endpoint: string
  /** What a user writes before a command: as in this message, else the first of `commands.prefixes`. For texts. */
  readonly prefix: string
  /** The user's permission here, from the rules of `permissions`. */
  readonly permission: Permission
  /**
   * The language of this event (BCP 47), one of the bot's languages. In this order: the user's own choice, the
   * channel's rule in `languages`, the user's language as the platform reports it, the project's default.
   */
  readonly language: string
  /**
   * Returns a text of `plugin.texts` in the language of this event, with its values. The result is plain text, whatever
   * the values contain. If the language lacks the text, svc uses the project's default language, then the first
   * language of the table. Throws `text_unknown`, `text_invalid`.
   */
  t<T extends TextTable, K extends TextKey<T>>(texts: Texts<T>, key: K, ...values: TextRest<T, K>): string
  /** The same by key only, for any declared text. The compiler does not check the key and its values. */
  t(key: string, values?: TextValues): string
  /** Aborted when the handler times out or the Host stops. */
  readonly signal: AbortSignal
  readonly log: Log
  /**
   * Queues a message to this conversation, or to a target, and resolves to its outbox id at once. The message commits
   * together with the handler's mark, so a handler that throws sends nothing. Throws `content_invalid`,
   * `endpoint_unknown`, `target_invalid`, and `unsupported` for a user at an endpoint that opens no direct channels.
   */
  send(content: Content, expiry?: Expiry): Promise<string>
  send(target: Target, content: Content, expiry?: Expiry): Promise<string>
  /**
   * Queues an edit that replaces a message's content. Like all acts, it commits with the handler's mark, keeps its
   * order among the messages of its channel, and resolves to its own outbox id. Throws `content_invalid`,
   * `target_invalid`, `outbox_unknown` for an unknown outbox id, and `unsupported` if the endpoint cannot edit. The act
   * fails with `message_not_sent` if the message was not sent.
   */
  edit(message: MessageTarget, content: Content, expiry?: Expiry): Promise<string>
  /**
   * Queues an edit of the message whose button, menu or form the user pressed. Buttons that should stay are in the new
   * content. Works like `edit`. Throws `event_invalid` if this event is no press.
   */
  update(content: Content, expiry?: Expiry): Promise<string>
  /** Queues the deletion of a message: the bot's own, or another's if the platform allows it. Works like `edit`. */
  delete(message: MessageTarget, expiry?: Expiry): Promise<string>
  /** Queues the removal of one of the bot's reactions. Works like `edit`. */
  unreact(message: MessageTarget, emoji: string, expiry?: Expiry): Promise<string>
  /**
   * Queues a method with a side effect at this endpoint, or at that of `target`: one of Satori v1, such as
   * `guild.member.mute`, or one of the platform, such as `telegram/pinChatMessage`, if the plugin declares `platform`.
   * Works like `edit`. Throws `unsupported` for a method that the endpoint lacks, and `request_invalid` for a method
   * that only reads (use `plugin.ask`), and without `platform`.
   */
  call<M extends string>(method: M & CheckedMethod<M>, params: ParametersOf<M>, expiry?: Expiry): Promise<string>
  call<M extends string>(
    target: {readonly endpoint: string},
    method: M & CheckedMethod<M>,
    params: ParametersOf<M>,
    expiry?: Expiry,
  ): Promise<string>
  /** Shows for a few seconds that the bot is typing, if the platform can. Best effort: at once, and never stored. */
  typing(): void
  /** Queues a message like `send`, and quotes the message being handled. */
  reply(content: Content, expiry?: Expiry): Promise<string>
  /** Queues a reaction to the message being handled. */
  react(emoji: string, expiry?: Expiry): Promise<string>
  /**
   * Sends now instead of at the handler's end. Resolves to the outbox id once the message is durable, even if the
   * handler fails later. When a failed handler runs again, its first `sendNow` returns the id of the first run's first
   * `sendNow` and sends nothing again; the second likewise, and so on.
   */
  sendNow(content: Content, expiry?: Expiry): Promise<string>
  sendNow(target: Target, content: Content, expiry?: Expiry): Promise<string>
  /**
   * Asks the user a question. The next message of this user in this channel goes to the prompt's handler, together with
   * `data`, even after a restart. Without a channel, as in a timer for a user, it asks in the direct channel. Queued like
   * `send`. Throws `prompt_unknown`, and `event_invalid` without a user.
   */
  prompt<D>(prompt: PromptHandle<D>, question: Content, data?: NoInfer<D>): Promise<string>
  /**
   * Starts one of the plugin's forms with `content` as the introduction, and keeps `data` for it. A platform with forms
   * shows the form in the message; elsewhere svc asks one field after another. Resolves to the outbox id of the
   * message. Queued like `send`. Throws `form_unknown`, and `event_invalid` if there is no user to ask or `data` does
   * not fit.
   */
  form<D>(form: Handle<"form", D>, content: Content, data?: NoInfer<D>): Promise<string>
  /**
   * Sets a timer declared with `plugin.timer` for this conversation, and resolves to its id at once. The timer is
   * stored with the handler's mark. It replaces the plugin's timer with the same `key`. Throws `timer_unknown`,
   * `timer_invalid`.
   */
  setTimer<D>(timer: TimerHandle<D>, when: When, data?: NoInfer<D>, options?: TimerOptions): Promise<string>
  /**
   * Returns the plugin's timers for this user at this endpoint, or for this channel, as they are stored: without what
   * this handler sets and clears. At most 1,000, the soonest first; not those whose data no longer fits. Throws
   * `timer_unknown`, and `event_invalid` if the event has no user or no channel.
   */
  timers<D>(timer: TimerHandle<D>, of?: "user" | "channel"): Promise<readonly ListedTimer<D>[]>
  /** Cancels the plugin's timer with this key, or a listed one, together with the handler's mark. */
  clearTimer(timer: string | Pick<ListedTimer, "id">): Promise<void>
  /**
   * Returns a value declared with `plugin.state`, of this user, this channel or the plugin. Writes are stored with the
   * handler's mark, and the handler reads its own writes before that. If another handler changed the value meanwhile,
   * svc discards what this handler queued and runs it again from the start. Throws `state_unknown`, and `event_invalid`
   * if the event has no user or no channel.
   */
  state<T, S extends StateScope>(handle: StateHandle<T, S>): StateValue<T>
  readonly database: SessionDatabase
}

/** The plugin's tables, as one handler uses them. */
export interface SessionDatabase extends Pick<PluginDatabase, "table" | "read"> {
  /**
   * Queues statements, which are stored in one batch with the handler's mark or not at all. `read` does not see them
   * before that. They return no counts and no rows; `plugin.database.write` does. A statement that the database rejects
   * fails the handler.
   */
  write(statements: readonly Statement[]): Promise<void>
}

/** Passes the event to the next middleware and the handlers; resolves when they have ended. Works only once. */
export type Next = () => Promise<void>

/**
 * Runs around the handlers of every event. If it ends without calling `next`, the event stops there and its handlers do
 * not run. Its own messages are stored with a separate mark, after the messages of the handlers inside.
 */
export type Middleware = (session: Session, next: Next) => Reply

export interface CommandCall<P extends string, O extends Record<string, OptionDefinition>> {
  readonly args: Readonly<Arguments<P>>
  readonly options: Options<O>
  readonly session: Session
}

/** The filters say where a command exists: elsewhere its words are ordinary, and `help` does not show it. */
export interface CommandDefinition<O extends Record<string, OptionDefinition> = Record<never, never>>
  extends HandlerDefinition,
    EventFilter {
  readonly description?: string | LocalText
  /** Alternative names of the command. */
  readonly aliases?: readonly string[]
  readonly options?: O
  /** Example lines for `help`. */
  readonly examples?: readonly string[]
  /** Hides the command from the list that `help` shows. */
  readonly hidden?: boolean
  /** The permission needed to call it; `help` hides the command from other users. Everybody when left out. */
  readonly permission?: Permission
  readonly cooldown?: Cooldown
}
