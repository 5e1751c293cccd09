import type {PluginPath} from "../../ids.ts"
import type {Log} from "../../log.ts"
import type {Static, TSchema} from "../../type.ts"
import type {AdapterDefinition, History} from "../adapter/adapter.ts"
import type {Sender} from "../adapter/sender.ts"
import type {Content} from "../content/elements.ts"
import type {EventType} from "../content/satori.ts"
import type {CheckedMethod, ParametersOf} from "../platform/methods.ts"
import type {CheckedPattern, OptionDefinition} from "../session/command.ts"
import type {PluginDatabase} from "../session/database.ts"
import type {TimerHandle} from "../session/handle.ts"
import type {EventHandlerDefinition, Named} from "../session/handler.ts"
import type {CommandCall, CommandDefinition, Expiry, Middleware, Reply, Session, Target} from "../session/session.ts"
import type {DeclareState} from "../session/state.ts"
import type {ListedTimer, TimerOptions, TimerPlace, When} from "../session/timer.ts"
import type {DeclareTexts} from "../text/texts.ts"
import type {DeclareAction} from "./action.ts"
import type {AgentHandle} from "./agent.ts"
import type {DeclareForm} from "./declare-form.ts"
import type {DeclareTimer} from "./declare-timer.ts"
import type {DeclareHears} from "./hears.ts"
import type {DeclareJob} from "./job.ts"
import type {OutboxState} from "./outbox-state.ts"
import type {PageFolder, PageHandler} from "./page.ts"
import type {DeclarePrompt} from "./prompt.ts"
import type {PluginRoute} from "./route.ts"
import {requireUses, type Service, type UsedServices, type Uses} from "./service.ts"
import type {DeclareTool} from "./tool.ts"
import type {DeclareWebhook, EventCall} from "./webhook.ts"

export interface SendOptions extends Expiry {
  /**
   * A key of at most 200 characters. If the plugin already sent a message under this key, `send` stores nothing and
   * returns the id of that message, for as long as the outbox keeps it.
   */
  readonly key?: string
  /** When to send, as a Date or in milliseconds since 1970; at once when left out or in the past. */
  readonly at?: Date | number
}

/** A message or an act as the outbox has it, sent or not. */
export interface SentMessage {
  readonly endpoint: string
  readonly channel: string
  /** `sent` once the platform has accepted it. docs/outbox.md describes the other states. */
  readonly state: OutboxState
  /** A code for why it failed, expired or was cancelled, such as `unsupported`. */
  readonly reason?: string
  /** The platform's ids of the message: several if it was sent in parts, none before it is sent. */
  readonly platform: readonly string[]
}

/** The API that `setup` receives. svc undoes everything declared here when the instance is disposed. */
export interface Plugin {
  readonly name: string
  readonly path: PluginPath
  /** The project's folder. */
  readonly project: string
  readonly log: Log
  /** Aborted when the instance is disposed. */
  readonly signal: AbortSignal
  readonly database: PluginDatabase
  /**
   * Returns the Host's time in milliseconds since 1970: `Date.now()`, or the time of `bot.clock` in a test. Use it for
   * everything that depends on the time of day, so that tests need not wait.
   */
  now(): number
  /** Registers the undo of something acquired. svc runs the undos in reverse order when the instance is disposed. */
  defer(undo: () => unknown): void
  command<P extends string>(
    pattern: P & CheckedPattern<P>,
    handler: (call: CommandCall<P, Record<never, never>>) => Reply,
  ): void
  command<P extends string, const O extends Record<string, OptionDefinition> = Record<never, never>>(
    pattern: P & CheckedPattern<P>,
    definition: CommandDefinition<O>,
    handler: (call: CommandCall<P, O>) => Reply,
  ): void
  /** Handles every event of a type, such as `message-created`. The log warns about a type that Satori does not have. */
  on(type: EventType, handler: (session: Session) => Reply): void
  on(type: EventType, definition: EventHandlerDefinition, handler: (session: Session) => Reply): void
  /**
   * The same for an event that keeps its payload: `internal`, or a type with a slash that an adapter or `webhook`
   * defines. A payload that does not fit `data` fails this handler (`event_invalid`), without retries.
   */
  on<D extends TSchema, V = Static<D>>(
    type: "internal" | `${string}/${string}`,
    definition: EventHandlerDefinition<D>,
    handler: (call: EventCall<NoInfer<V>>) => Reply,
  ): void
  /**
   * Handles users' messages whose text matches a pattern: a `RegExp` or its source. It ignores messages that call a
   * command, that get the Host's reply to a mistyped command, or that answer a question. Matching takes linear time, so
   * svc refuses patterns with lookaround or backreferences, together with the draft. The pattern sees the first 16,384
   * characters of the trimmed text.
   */
  hears: DeclareHears
  /** Runs around the handlers of every event: in the order of the plugins in the configuration, then of these calls. */
  middleware(around: Middleware): void
  middleware(definition: Named, around: Middleware): void
  /** Declares what happens when a user answers a question. `session.prompt` asks it. */
  prompt: DeclarePrompt
  /**
   * Declares what happens when a user presses a button. The returned handle makes the buttons. On a platform without
   * buttons, the message ends with a numbered list, and users answer with a number.
   */
  action: DeclareAction
  /**
   * Declares a form. Users fill in its fields, or answer one question after another; the schema checks each answer.
   * `session.form` starts it, or a button made by its handle.
   */
  form: DeclareForm
  /**
   * Declares a durable value for each user, for each channel, or for the plugin. Read and write it with
   * `session.state(handle)` in a handler, and with `handle.of(…)` elsewhere.
   */
  state: DeclareState
  /**
   * Declares the plugin's texts, by language and key, in ICU MessageFormat. Use them with `session.t(texts, key,
   * values)` in a handler, and with `texts.in(language)(key, values)` elsewhere. svc checks every message before it
   * commits the generation.
   */
  texts: DeclareTexts
  /**
   * Returns the language of a conversation, for code outside handlers: the user's own choice, then the channel's rule,
   * then the project's default. Throws `not_active`, `target_invalid`.
   */
  languageOf(place: TimerPlace): Promise<string>
  /** Declares what a timer does when it fires. `setTimer` sets it. */
  timer: DeclareTimer
  /**
   * Sets a timer outside a handler; in a handler use `session.setTimer`. Resolves to its id once it is durable. The timer
   * survives restarts and fires once for each due time. Throws `not_active`, `timer_unknown`, `timer_invalid`,
   * `endpoint_unknown`.
   */
  setTimer<D>(
    timer: TimerHandle<D>,
    when: When & {readonly target?: TimerPlace},
    data?: NoInfer<D>,
    options?: TimerOptions,
  ): Promise<string>
  /**
   * Lists timers outside a handler, like `session.timers`: those of a conversation, or all of the plugin. Throws
   * `not_active`, `timer_unknown`, `target_invalid`.
   */
  timers<D>(timer: TimerHandle<D>, of?: TimerPlace): Promise<readonly ListedTimer<D>[]>
  /** Cancels the plugin's timer with this key, or a listed one. Resolves to whether there was one. Throws `not_active`. */
  clearTimer(timer: string | Pick<ListedTimer, "id">): Promise<boolean>
  /** Declares a job that schedules can call. */
  job: DeclareJob
  /**
   * Declares a tool for agents, `<plugin>.<name>`. An agent has it only if its binding lists it, and a call runs only
   * if the asking user has the tool's permission.
   */
  tool: DeclareTool
  /**
   * Sends a message outside a handler: from a route, a JavaScript timer, a callback. Resolves to the outbox id once the
   * message is durable. Throws `not_active` until the plugin is part of a committed generation, `content_invalid`,
   * `endpoint_unknown`, `target_invalid`, `request_invalid` for an invalid key or time, `unsupported` for a user at an
   * endpoint that opens no direct channels, `ingress_paused`.
   */
  send(target: Target, content: Content, options?: SendOptions): Promise<string>
  /** Returns the state of a message or an act of any plugin by its outbox id; undefined once deleted. Throws `not_active`. */
  message(id: string): Promise<SentMessage | undefined>
  /**
   * Waits until a message is sent or ends otherwise: its state is none of `scheduled`, `queued` and `sending`. The wait
   * ends with this instance, so call it again after a restart. What `session.send` queues is stored only at the end of
   * its handler; there, wait for it in a timer's handler. Throws `not_active`, `outbox_unknown`, and the reason of
   * `signal`.
   */
  sent(id: string, options?: {readonly signal?: AbortSignal}): Promise<SentMessage>
  /** Returns an agent that the project binds under `agents.<name>`, to start runs and read their results. */
  agent(name: string): AgentHandle
  /**
   * Cancels a message of `plugin.send` that is not being sent yet. Resolves to true if it was cancelled, to false if it
   * was sent or is being sent. Throws `outbox_unknown` for an id that is not this plugin's, and `not_active`.
   */
  cancel(id: string): Promise<boolean>
  /**
   * Queries a platform with a method that only reads: one of Satori v1, such as `guild.member.list`, or one of the
   * platform, such as `telegram/getChat`, if the plugin declares `platform`. Resolves to the platform's response, within
   * 10 s. The Host stores nothing. Throws `not_active`, `endpoint_unknown`, `unsupported`, `request_invalid` for a
   * method with a side effect and without `platform`, `endpoint_offline`, `platform_failed`. The `failure` of the last two
   * says whether a later call may succeed.
   */
  ask<M extends string>(endpoint: string, method: M & CheckedMethod<M>, params?: ParametersOf<M>): Promise<unknown>
  /**
   * Calls a method with a side effect now, and resolves to the platform's response, within 10 s. The Host stores
   * nothing: if it ends meanwhile, or the platform does not answer, the call may have happened, and nobody repeats it.
   * Prefer `session.call` where the response does not matter. Throws the errors of `ask`.
   */
  callNow<M extends string>(endpoint: string, method: M & CheckedMethod<M>, params: ParametersOf<M>): Promise<unknown>
  /**
   * Runs a function once the plugin is part of a committed generation and messages can be sent: at the start of the
   * Host, and after a reload that created this instance. An error counts as an uncaught exception of the plugin.
   */
  onStart(handler: () => unknown): void
  /**
   * Provides a service to other plugins under its name; call it in `setup`. svc sets up the plugins that name it in
   * `uses` after this plugin, and again whenever it sets up this plugin. The service's methods run as this plugin's
   * code. They throw `not_active` once this instance has ended.
   */
  provide<T extends object>(service: Service<T> | string, implementation: NoInfer<T>): void
  adapter<A extends TSchema, S extends Sender, const H extends History>(
    slot: string,
    adapter: AdapterDefinition<A, S, H>,
  ): void
  /** Serves `/api/plugins/<name><path>`. The schemas `body`, `query` and `response` check the values and type them. */
  route<
    B extends TSchema | undefined = undefined,
    Q extends TSchema | undefined = undefined,
    R extends TSchema | undefined = undefined,
    const P extends string = string,
  >(route: PluginRoute<B, Q, R, P>): void
  /**
   * Receives a foreign webhook at `/hooks/<plugin>/<name>`, without an adapter. The Host verifies it, answers 2xx once
   * it is durable, and handles its id once: as the event `<plugin>/<name>` of the endpoint `<plugin>~<name>`, which
   * sends nothing. The handler sends to a chat with `session.send({endpoint, channel}, content)`.
   */
  webhook: DeclareWebhook
  /**
   * Publishes a page at `/pages/<name><path>` for anyone, without a token, if the operator lists the path in
   * `plugins.<name>.pages`: a handler of GET, HEAD and POST, or a folder of files. It has a sandboxed origin. Its
   * cookies are only for this plugin's pages and hidden from scripts; browsers send them with links and GET forms.
   */
  page(path: string, shown: PageHandler | PageFolder): void
}

export interface PluginDefinition<C extends TSchema = TSchema, U extends Uses = Uses> {
  readonly description?: string
  /** The schema of `plugins.<name>.config`. */
  readonly config?: C
  /** Services of other plugins, which `setup` receives under the same keys. svc refuses the draft if one is missing. */
  readonly uses?: U
  /** True if it calls methods of platforms, such as `telegram/pinChatMessage`. Calls of agents' tools never may. */
  readonly platform?: boolean
  /** True if its handlers get the platform's own event as `session.event.raw`. The Host stores it until they have ended. */
  readonly raw?: boolean
  /** Declares what the plugin publishes. Do not connect here: an adapter connects in `open`. */
  setup(plugin: Plugin, config: Static<C>, services: UsedServices<U>): void | Promise<void>
}

/** Any plugin, regardless of its configuration type. */
export interface AnyPlugin {
  readonly description?: string
  readonly config?: TSchema
  readonly uses?: Uses
  readonly platform?: boolean
  readonly raw?: boolean
  setup(plugin: Plugin, config: never, services: never): void | Promise<void>
}

/** Recognizes the result of `definePlugin` across copies of this module. */
const brand = Symbol.for("svc.plugin")

/** Declares a plugin. Make the result the default export of its file. */
export const definePlugin = <C extends TSchema, const U extends Uses = Record<never, never>>(
  definition: PluginDefinition<C, U>,
): PluginDefinition<C, U> => {
  if (definition.uses !== undefined) requireUses(definition.uses)
  return Object.defineProperty({...definition}, brand, {value: 1})
}

export const isPlugin = (value: unknown): value is PluginDefinition =>
  typeof value === "object" && value !== null && brand in value
