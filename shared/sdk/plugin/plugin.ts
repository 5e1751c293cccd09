import type {OutboxState} from "../../api/messages.ts"
import type {PluginPath} from "../../ids.ts"
import type {Log} from "../../log.ts"
import type {Static, TSchema} from "../../type.ts"
import type {DeclareAction} from "../action.ts"
import type {AdapterDefinition, History} from "../adapter/adapter.ts"
import type {Sender} from "../adapter/sender.ts"
import type {AgentHandle} from "../agent.ts"
import type {CheckedPattern, OptionDefinition} from "../command.ts"
import type {Content} from "../elements.ts"
import type {PageHandler} from "../page.ts"
import type {DeclarePrompt} from "../prompt.ts"
import type {EventType} from "../satori.ts"
import {requireUses, type Service, type UsedServices, type Uses} from "../service.ts"
import type {
  CommandCall,
  CommandDefinition,
  EventHandlerDefinition,
  Middleware,
  Named,
  Reply,
  Session,
  Target,
} from "../session.ts"
import type {DeclareState} from "../state.ts"
import type {DeclareTexts} from "../text/texts.ts"
import type {TimerHandle, TimerOptions, TimerPlace, When} from "../timer.ts"
import type {DeclareTool} from "../tool.ts"
import type {PluginDatabase} from "./database.ts"
import type {DeclareForm} from "./declare-form.ts"
import type {DeclareTimer} from "./declare-timer.ts"
import type {DeclareHears} from "./hears.ts"
import type {DeclareJob} from "./job.ts"
import type {PluginRoute} from "./route.ts"

export interface SendOptions {
  /**
   * At most 200 characters. Where the plugin has sent under this key before, the message of then is meant: nothing is
   * stored, and its id is the answer. Known as long as the outbox keeps that message.
   */
  readonly key?: string
  /** When to send, as a Date or in milliseconds since 1970; now when left out or in the past. */
  readonly at?: Date | number
}

/** A message that went out, or is about to, as the outbox has it. */
export interface SentMessage {
  readonly endpoint: string
  readonly channel: string
  /** `sent` once the platform has taken it; the others stand in docs/outbox.md. */
  readonly state: OutboxState
  /** The platform's ids of it: several for one in parts, none before it is sent. */
  readonly platform: readonly string[]
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
  /**
   * The time by the Host's clock, in milliseconds since 1970: `Date.now()`, and in a test the time that `bot.clock` shows. Use it
   * for what a plugin works out from the time of day, so that its tests need not wait.
   */
  now(): number
  /** Registers the undo of something acquired; run in reverse order when the instance is disposed. */
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
  /** Handles every event of a type, for example `message-created`. The log warns of a type that Satori does not have. */
  on(type: EventType, handler: (session: Session) => Reply): void
  on(type: EventType, definition: EventHandlerDefinition, handler: (session: Session) => Reply): void
  /**
   * Handles the messages of people whose text matches a pattern, a `RegExp` or its source. Not those that call a command, get the
   * Host's answer to a mistyped one, or answer a question. The pattern takes linear time, so lookaround and backreferences are
   * refused, with the draft. It sees the first 16,384 characters of the text, without the space around it.
   */
  hears: DeclareHears
  /** Around every event, in the order of the plugins in the configuration, then in that of these calls. */
  middleware(around: Middleware): void
  middleware(definition: Named, around: Middleware): void
  /** Declares what goes on when a question of `session.prompt` is answered. */
  prompt: DeclarePrompt
  /**
   * Declares what happens when a button is pressed; its handle makes the buttons. Where a platform has no buttons, the message
   * ends with a numbered list, and a number answers it.
   */
  action: DeclareAction
  /**
   * Declares a form: fields that a user fills in, or is asked one after another, each answer checked by its schema. `session.form`
   * begins it, or a button that its handle makes.
   */
  form: DeclareForm
  /**
   * Declares a durable value for each user, each channel, or the plugin. In a handler `session.state(handle)` reads and writes
   * it; elsewhere `handle.of(…)` does.
   */
  state: DeclareState
  /**
   * Declares what the plugin says, by language and key, in ICU MessageFormat. In a handler `session.t(texts, key, values)` says it;
   * elsewhere `texts.in(language)(key, values)` does. Every message is read before the generation is committed.
   */
  texts: DeclareTexts
  /**
   * The language of a conversation outside a handler: what the user has chosen, else the channel's rule, else the project's default.
   * Throws `not_active`, `target_invalid`.
   */
  languageOf(place: TimerPlace): Promise<string>
  /** Declares what timers do when they fire; `session.timer` and `setTimer` set them. */
  timer: DeclareTimer
  /**
   * Sets a timer from anywhere but a handler, where `session.timer` does. Resolves to its id once it is durable; it survives
   * restarts, and fires once for each due time. Throws `not_active`, `timer_unknown`, `timer_invalid`, `endpoint_unknown`.
   */
  setTimer<D>(
    timer: TimerHandle<D> | string,
    when: When & {readonly target?: TimerPlace},
    data?: D,
    options?: TimerOptions,
  ): Promise<string>
  /** Takes the plugin's timer under this key away; resolves to whether there was one. Throws `not_active`. */
  clearTimer(key: string): Promise<boolean>
  /** Declares what scheduled jobs may call. */
  job: DeclareJob
  /**
   * Declares a tool for agents, `<plugin>.<name>`. An agent has it only where its binding lists it, and a call runs only where the asking
   * user has the tool's permission.
   */
  tool: DeclareTool
  /**
   * Sends from anywhere but a handler: a route, a timer of JavaScript, a callback. Resolves to the outbox id once the message
   * is durable. Throws `not_active` before the plugin is part of a committed generation, `content_invalid`, `endpoint_unknown`,
   * `target_invalid`, `request_invalid` for a key or a time that is none, `unsupported` for a user at an endpoint that opens no
   * direct channels, `ingress_paused`.
   */
  send(target: Target, content: Content, options?: SendOptions): Promise<string>
  /**
   * What became of a message that any plugin has sent, by its outbox id; undefined for one that the outbox does not have, or has no
   * more. Throws `not_active`.
   */
  message(id: string): Promise<SentMessage | undefined>
  /** An agent that the project binds under `agents.<name>`: has it run, and reads what became of that. */
  agent(name: string): AgentHandle
  /**
   * Takes back a message of `plugin.send` that has not begun: true where it did, false where it was sent or is on its way.
   * Throws `outbox_unknown` for an id that is not this plugin's, and `not_active`.
   */
  cancel(id: string): Promise<boolean>
  /**
   * Asks a platform now, by a method of Satori v1 that its endpoint's `features` name and that only reads, such as
   * `guild.member.list`. Resolves to the platform's answer, within 10 s. Nothing is stored. Throws `not_active`,
   * `endpoint_unknown`, `unsupported`, `request_invalid` for a method with a side effect (`session.call` has those),
   * `endpoint_offline`, `platform_failed`.
   */
  ask(endpoint: string, method: string, params?: Readonly<Record<string, unknown>>): Promise<unknown>
  /**
   * Runs once the plugin is part of a committed generation and messages can be sent: at the start of the Host, and after a
   * reload that brought this instance. What it throws counts as an exception of the plugin that nobody caught.
   */
  onStart(handler: () => unknown): void
  /**
   * In `setup`: gives the other plugins a service, under its name. Those that name it in `uses` are set up after this plugin, and
   * anew whenever this plugin is. Its methods run as this plugin's own code. Once this instance has ended, they throw `not_active`.
   */
  provide<T extends object>(service: Service<T> | string, implementation: NoInfer<T>): void
  adapter<A extends TSchema, S extends Sender, const H extends History>(
    slot: string,
    adapter: AdapterDefinition<A, S, H>,
  ): void
  /** Serves `/api/plugins/<name><path>`. What `body`, `query` and `response` say is checked, and is the type of what they hold. */
  route<
    B extends TSchema | undefined = undefined,
    Q extends TSchema | undefined = undefined,
    R extends TSchema | undefined = undefined,
  >(route: PluginRoute<B, Q, R>): void
  /**
   * Publishes a page at `/pages/<name><path>`, for anyone, without a token: only where the operator lists the path in
   * `plugins.<name>.pages`. It answers GET, HEAD and POST, has a sandbox for its origin, and sets no cookies.
   */
  page(path: string, handler: PageHandler): void
}

export interface PluginDefinition<C extends TSchema = TSchema, U extends Uses = Uses> {
  readonly description?: string
  /** The schema of `plugins.<name>.config`. */
  readonly config?: C
  /** Services of other plugins, which `setup` gets under the same keys. Without one of them the draft is refused. */
  readonly uses?: U
  /** Declares what the plugin publishes. It never connects; an adapter's `open` does. */
  setup(plugin: Plugin, config: Static<C>, services: UsedServices<U>): void | Promise<void>
}

/** Any plugin, whatever its configuration. */
export interface AnyPlugin {
  readonly description?: string
  readonly config?: TSchema
  readonly uses?: Uses
  setup(plugin: Plugin, config: never, services: never): void | Promise<void>
}

/** Marks what `definePlugin` made, across copies of this module. */
const brand = Symbol.for("svc.plugin")

/** Declares a plugin: the default export of its file. */
export const definePlugin = <C extends TSchema, const U extends Uses = Record<never, never>>(
  definition: PluginDefinition<C, U>,
): PluginDefinition<C, U> => {
  if (definition.uses !== undefined) requireUses(definition.uses)
  return Object.defineProperty({...definition}, brand, {value: 1})
}

export const isPlugin = (value: unknown): value is PluginDefinition =>
  typeof value === "object" && value !== null && brand in value
