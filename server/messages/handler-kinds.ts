import type {InboxEvent} from "../inbox/intake/handling.ts"
import {answer, press} from "./forms/prompt.ts"
import {type HearsHandler, hear} from "./hears.ts"
import type {Turns} from "./limits/limits.ts"
import type {ActionRunner, Continuation, EventHandler, TimerRunner} from "./session/handler.ts"
import {type MiddlewareHandler, type Runnable, surround} from "./session/run-handler.ts"
import {runTimer} from "./session/timers.ts"

/** A handler of each kind except commands. Middleware is declared outermost first. */
interface Handlers {
  readonly handlers: EventHandler
  readonly hears: HearsHandler
  readonly middleware: MiddlewareHandler
  readonly prompts: Continuation
  readonly actions: ActionRunner
  readonly timers: TimerRunner
}
type Kind = keyof Handlers
export type HandlerLists = {readonly [K in Kind]?: readonly Handlers[K][]}
export type HandlersById = {readonly [K in Kind]: ReadonlyMap<string, Handlers[K]>}

/** What a handler runs for. */
interface Occasion {
  readonly stored: InboxEvent
  readonly turns: Turns
  readonly table: Parameters<typeof answer>[3]
  readonly now: () => number
}

/** How a handler of each kind runs for one event. */
const kinds: {readonly [K in Kind]: (own: Handlers[K], on: Occasion) => Runnable} = {
  handlers: own => own,
  hears: (own, {turns}) => ({...own, leaves: turns.leaves, handle: session => hear(own, session, turns)}),
  middleware: own => ({...own, ...surround(own)}),
  prompts: (own, {table}) => ({
    ...own,
    handle: async (session, attempt) => answer(own.prompt, await attempt.question(), session, table),
  }),
  actions: (own, {table}) => ({
    ...own,
    handle: async (session, attempt) => press(own.action, await attempt.question(), session, table),
  }),
  timers: (own, {stored, now}) => ({...own, handle: session => runTimer(own.timer, stored, session, now())}),
}
const names = Object.keys(kinds) as Kind[]

export const byId = (lists: HandlerLists): HandlersById => {
  const mapOf = (kind: Kind) => new Map((lists[kind] ?? []).map(each => [each.id, each]))
  return Object.fromEntries(names.map(kind => [kind, mapOf(kind)])) as unknown as HandlersById
}

/** Returns a handler, ready for one event; undefined if there is none of this id. */
export const runnableOf = (all: HandlersById, id: string, on: Occasion): Runnable | undefined => {
  const kind = names.find(each => all[each].has(id))
  return kind && kinds[kind](all[kind].get(id) as never, on)
}
