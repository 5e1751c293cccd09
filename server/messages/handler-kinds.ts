import type {InboxEvent} from "../inbox/intake/handling.ts"
import {answer, press} from "./forms/prompt.ts"
import {type HearsHandler, hear} from "./hears.ts"
import type {Turns} from "./limits/limits.ts"
import type {ActionRunner, Continuation, EventHandler, TimerRunner} from "./session/handler.ts"
import {type MiddlewareHandler, type Runnable, surround} from "./session/run-handler.ts"
import {runTimer} from "./session/timers.ts"

/** The handlers of each kind that run without a command. */
interface Handlers {
  readonly handlers: EventHandler
  /** They match messages by a pattern. */
  readonly hears: HearsHandler
  /** Outermost first. */
  readonly middleware: MiddlewareHandler
  readonly prompts: Continuation
  readonly actions: ActionRunner
  readonly timers: TimerRunner
}

type Kind = keyof Handlers

/** Handlers by kind, and then by their id. */
export type HandlersById = {readonly [K in Kind]: ReadonlyMap<string, Handlers[K]>}

/** Handlers by kind, in the order of their declaration. */
export type HandlerLists = {readonly [K in Kind]?: readonly Handlers[K][]}

/** What a handler runs for. */
interface Occasion {
  readonly stored: InboxEvent
  readonly turns: Turns
  readonly table: Parameters<typeof answer>[3]
  readonly now: () => number
}

/** How a handler of each kind runs for one event. */
const runnables: {readonly [K in Kind]: (handler: Handlers[K], on: Occasion) => Runnable} = {
  handlers: handler => handler,
  hears: (handler, {turns}) => ({
    ...handler,
    leaves: turns.leaves,
    handle: session => hear(handler, session, turns),
  }),
  middleware: handler => ({...handler, ...surround(handler)}),
  prompts: (handler, {table}) => ({
    ...handler,
    handle: async (session, attempt) => answer(handler.prompt, await attempt.question(), session, table),
  }),
  actions: handler => ({
    ...handler,
    handle: async (session, attempt) => press(handler.action, await attempt.question(), session),
  }),
  timers: (handler, {stored, now}) => ({
    ...handler,
    handle: session => runTimer(handler.timer, stored, session, now()),
  }),
}

const kinds = Object.keys(runnables) as Kind[]

export const byId = (lists: HandlerLists): HandlersById => {
  const mapOf = (kind: Kind) => new Map((lists[kind] ?? []).map(each => [each.id, each]))
  return Object.fromEntries(kinds.map(kind => [kind, mapOf(kind)])) as unknown as HandlersById
}

/** Returns a handler, ready for one event; undefined if no kind has it. */
export const runnableOf = (all: HandlersById, id: string, on: Occasion): Runnable | undefined => {
  for (const kind of kinds) {
    const handler = all[kind].get(id)
    if (handler !== undefined) return runnables[kind](handler as never, on)
  }
  return undefined
}
