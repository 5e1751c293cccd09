import type {Log} from "../log.ts"
import type {Arguments, Cooldown, OptionDefinition, Options} from "./command.ts"
import type {Content, Node} from "./elements.ts"
import type {SessionFile} from "./files/session-file.ts"
import type {FormHandle} from "./form.ts"
import type {Permission} from "./permission.ts"
import type {PluginDatabase, Statement} from "./plugin/database.ts"
import type {Channel, SatoriEvent, User} from "./satori.ts"
import type {StateHandle, StateScope, StateValue} from "./state.ts"
import type {LocalText, TextKey, TextRest, Texts, TextTable, TextValues} from "./text/texts.ts"
import type {TimerHandle, TimerOptions, When} from "./timer.ts"

/**
 * What a handler may return: its reply, or nothing. An id that a method of its session resolved to is no reply: a handler may end
 * with `return session.prompt(…)`.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler written without a return has the type void
export type Reply = Content | undefined | void | Promise<Content | undefined | void>

/**
 * Where a message goes: an endpoint by its name, and a channel of its platform, or a user, whose direct channel the endpoint
 * opens when the message is sent.
 */
export type Target =
  | {readonly endpoint: string; readonly channel: string; readonly user?: never}
  | {readonly endpoint: string; readonly user: string; readonly channel?: never}

/** A message that an act is about: the bot's own by the outbox id that `send` resolved to, or any by the platform's id. */
export type MessageTarget =
  | string
  | {
      readonly platform: string
      /** This conversation's when left out, as is the endpoint. */
      readonly channel?: string
      readonly endpoint?: string
    }

/** One event in the hands of one handler. Ended by the handler's end; later calls throw `late`. */
export interface Session {
  readonly event: SatoriEvent
  /** What the user wrote: the message as plain text, without its files and the addresses of its links. Empty for events without one. */
  readonly text: string
  readonly elements: readonly Node[]
  /** The images, audios, videos and other files of the message, in its order; not those of a message that it quotes. */
  readonly files: readonly SessionFile[]
  readonly user: User | undefined
  readonly channel: Channel | undefined
  /** The name of the endpoint that the event came in through. */
  readonly endpoint: string
  /** What the rules of `permissions` give this user here. */
  readonly permission: Permission
  /**
   * The language of this event (BCP 47), one of the bot's: what the user has chosen, else what the rules of `languages` say of the
   * channel, else what the platform says of the user, else the project's default.
   */
  readonly language: string
  /**
   * A text of `plugin.texts` in the language of this event, with its values: plain text, whatever a value holds. Where the language
   * lacks it, the project's default has it, or the first language of the table. Throws `text_unknown`, `text_invalid`.
   */
  t<T extends TextTable, K extends TextKey<T>>(texts: Texts<T>, key: K, ...values: TextRest<T, K>): string
  /** The same by the key alone, for whatever the plugin has declared; the compiler does not know the key and its values. */
  t(key: string, values?: TextValues): string
  /** Aborted when the handler's time ends or the Host stops. */
  readonly signal: AbortSignal
  readonly log: Log
  /**
   * Queues a message to this conversation, or to `to`; resolves to its outbox id at once. It is committed together
   * with the handler's mark, so a handler that throws has sent nothing. Throws `content_invalid`, `endpoint_unknown`,
   * `target_invalid`, and `unsupported` for a user at an endpoint that opens no direct channels.
   */
  send(content: Content, to?: Target): Promise<string>
  /**
   * Queues the replacement of a message's content. Like all acts it commits with the handler's mark, takes its turn among the
   * messages of its channel, and resolves to its own outbox id. Throws `content_invalid`, `target_invalid`, `unsupported` where
   * the endpoint cannot do it, and `outbox_unknown` for an outbox id that is not there; a message that was not sent fails the
   * act (`message_not_sent`).
   */
  edit(message: MessageTarget, content: Content): Promise<string>
  /** Queues the deletion of a message: the bot's own, or another's where the platform lets the bot. Like `edit`. */
  delete(message: MessageTarget): Promise<string>
  /** Queues the end of a reaction of the bot. Like `edit`. */
  unreact(message: MessageTarget, emoji: string): Promise<string>
  /**
   * Queues a method of Satori v1, such as `guild.member.mute`, at this endpoint or another. Like `edit`. Throws `request_invalid`
   * for a method that only reads: `plugin.ask` has its answer.
   */
  call(method: string, params: Readonly<Record<string, unknown>>, endpoint?: string): Promise<string>
  /** Shows for a few seconds that the bot is writing, where the platform can. Best effort: at once, and never stored. */
  typing(): void
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
  /**
   * Begins a form of the plugin behind `content`, and ends there; `data` is kept. Where the platform has forms, the message shows it,
   * else its fields are asked one after another. Resolves to the outbox id of the message. Queued like `send`. Throws `form_unknown`, and `event_invalid` where there is no user
   * to ask, or `data` does not fit.
   */
  form<D>(form: FormHandle<D> | string, content: Content, data?: D): Promise<string>
  /**
   * Sets a timer that `plugin.timer` declared, for this conversation; resolves to its id at once. It is stored with the
   * handler's mark. A timer of the plugin under the same `key` is replaced. Throws `timer_unknown`, `timer_invalid`.
   */
  timer<D>(timer: TimerHandle<D> | string, when: When, data?: D, options?: TimerOptions): Promise<string>
  /** Takes the plugin's timer under this key away, with the handler's mark. */
  clearTimer(key: string): Promise<void>
  /**
   * A value that `plugin.state` declared, of this user, this channel or the plugin. What is written is stored with the
   * handler's mark, and read by it before. Where another handler changed the value meanwhile, this one is run again from its
   * start, and leaves nothing behind of the first time. Throws `state_unknown`, and `event_invalid` where the event has no user
   * or no channel.
   */
  state<T, S extends StateScope>(handle: StateHandle<T, S>): StateValue<T>
  readonly database: SessionDatabase
}

/** The plugin's tables in the hands of one handler. */
export interface SessionDatabase extends Pick<PluginDatabase, "table" | "read"> {
  /**
   * Queues statements; they are stored in one batch with the handler's mark, or not at all. `read` does not see them
   * before, and they have no counts and no rows while the handler runs: `plugin.database.write` has. A statement that the
   * database refuses fails the handler.
   */
  write(statements: readonly Statement[]): Promise<void>
}

/** What `on` and `command` take beside the handler. */
export interface HandlerDefinition {
  /** A handler that throws is run again so often (at most 10), after growing pauses, before the conversation goes on. */
  readonly retries?: number
}

/** A handler's own name, of letters, digits, _ and -, beginning with a letter. */
export interface Named {
  /**
   * By it the events that wait find their handler after a restart or a reload, wherever it then stands among others. Without
   * one they find it by its number among the nameless ones of its kind, and another one put before it gets its events.
   */
  readonly name?: string
}

/** What `on` takes beside the handler. */
export interface EventHandlerDefinition extends HandlerDefinition, Named {}

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
  readonly description?: string | LocalText
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
