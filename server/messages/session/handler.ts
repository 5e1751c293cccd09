import type {Position} from "../../../shared/api/plugin-views.ts"
import type {Log, LogFields} from "../../../shared/log.ts"
import type {SatoriEvent} from "../../../shared/sdk/content/satori.ts"
import type {EventFilter, EventHandlerDefinition, HandlerOrder} from "../../../shared/sdk/session/handler.ts"
import type {Reply, Session, SessionDatabase} from "../../../shared/sdk/session/session.ts"
import type {DeclaredState} from "../../database/state/plugin-state.ts"
import type {Action, Prompt} from "../forms/prompt.ts"
import type {DeclaredTimer} from "./timers.ts"

/** What a session may use of the handler's plugin. */
export interface PluginSide {
  readonly name: string
  /** Does it declare `platform`, and `raw`? */
  readonly platform?: boolean
  readonly raw?: boolean
  readonly database: Pick<SessionDatabase, "table" | "read">
  prompt(name: string): Prompt | undefined
  /** Returns where in the plugin's files an error was thrown. */
  positionOf?(error: unknown): Position | undefined
  state?(scope: string, name: string): DeclaredState | undefined
  /** Returns a declared text in the first of the languages that has it. Throws `text_unknown`, `text_invalid`. */
  say?(languages: readonly string[], key: string, values: unknown): string
}

/** What is known about an event: whether a command, question or button took it, and whether it addresses the bot. */
export interface Reception {
  readonly endpoint: string
  readonly isTaken: boolean
  /** True if it addresses the bot by name and not with a prefix. */
  readonly isAddressed: boolean
}

/** Returns whether a handler wants an event of its type. */
export type Wants = (event: SatoriEvent, reception: Reception) => boolean

/** The key under which the Host's own plugins declare which events a handler wants: see `Wants`. */
export const wantsKey = Symbol("svc.wants")

export interface Handler {
  readonly id: string
  readonly log: Log
  /** How many times the Host retries it after an error. */
  readonly retries?: number
  /** The age of an event up to which it runs, as the plugin declares it. */
  readonly maxAge?: string
  /** The order that the plugin declares. */
  readonly order?: HandlerOrder
  /** Undefined for the Host's own handlers. */
  readonly plugin?: PluginSide
  /** Aborted when the plugin's instance is disposed. */
  readonly signal: AbortSignal
  /** Runs `work` as the plugin's code: it owns late errors, the instance waits, and log records carry `about`. */
  run<T>(work: () => T | Promise<T>, about: LogFields): Promise<T>
}

/** A filter, as handlers of events may have it. */
export type Filter = EventFilter & Pick<EventHandlerDefinition, "type">

export interface EventHandler extends Handler {
  readonly type: string
  /** When left out, like the filter, the handler wants every event of its type. */
  readonly wants?: Wants
  readonly filter?: Filter
  readonly handle: (session: Session) => Reply
}

export interface ChoosingHandler extends EventHandler {
  readonly wants: Wants
}

/** The handler of answers to a question. */
export interface Continuation extends Handler {
  readonly prompt: Prompt
}

/** The handler of the press of a button. */
export interface ActionRunner extends Handler {
  readonly action: Action
}

export interface TimerRunner extends Handler {
  readonly timer: DeclaredTimer
}
