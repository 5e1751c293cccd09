import type {Log, LogFields} from "../../shared/log.ts"
import type {SatoriEvent} from "../../shared/sdk/satori.ts"
import type {Reply, Session} from "../../shared/sdk/session.ts"
import type {Action} from "./action.ts"
import type {Prompt} from "./prompt.ts"
import type {PluginSide} from "./session.ts"
import type {DeclaredTimer} from "./timers.ts"

/** Of an event: has a command, a question or a button taken it, and is it called by name alone? */
export interface Reception {
  readonly endpoint: string
  readonly isTaken: boolean
  /** It addresses the bot, by its name and not by a prefix. */
  readonly isAddressed: boolean
}

/** Which events of its type a handler takes. */
export type Wants = (event: SatoriEvent, reception: Reception) => boolean

/** The key under which the Host's own plugins say which events a handler takes: see `Wants`. */
export const wantsKey = Symbol("svc.wants")

/** A handler of a generation, by its id. */
export interface Handler {
  readonly id: string
  readonly log: Log
  /** How often it is run again when it throws. */
  readonly retries?: number
  /** Undefined for the Host's own handlers. */
  readonly plugin?: PluginSide
  /** Aborted when the plugin's instance is disposed. */
  readonly signal: AbortSignal
  /**
   * Runs `work` as the plugin's own: what it throws late is the plugin's, its instance waits for it, and what it logs
   * carries `about`.
   */
  run<T>(work: () => T | Promise<T>, about: LogFields): Promise<T>
}

export interface EventHandler extends Handler {
  readonly type: string
  /** Left out, it takes every event of its type. */
  readonly wants?: Wants
  readonly handle: (session: Session) => Reply
}

/** One that says which events of its type it takes. */
export interface ChoosingHandler extends EventHandler {
  readonly wants: Wants
}

/** What goes on when a question is answered. */
export interface Continuation extends Handler {
  readonly prompt: Prompt
}

/** What the press of a button runs. */
export interface ActionRunner extends Handler {
  readonly action: Action
}

/** What a firing of a timer runs. */
export interface TimerRunner extends Handler {
  readonly timer: DeclaredTimer
}
