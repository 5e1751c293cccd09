import {pluginPath} from "../../../shared/ids.ts"
import type {Log} from "../../../shared/log.ts"
import {misfitOf} from "../../config/explain.ts"
import type {Database} from "../../database/database.ts"
import type {Ingress} from "../../endpoints/ingress.ts"
import type {Generations} from "../../generation/generations.ts"
import type {Inbox} from "../../inbox/inbox.ts"
import type {TimerRunner} from "../../messages/handler.ts"
import type {Clock} from "../../runtime/flow/clock.ts"
import {Timers} from "../../scheduler/timers/timers.ts"

export interface HostTimersOptions {
  readonly database: Database
  readonly log: Log
  readonly generations: Generations
  readonly ingress: Ingress
  readonly inbox: Inbox
  readonly clock: Clock
}

/** The timers of a Host. They fire handlers of the running generation. */
export const createTimers = ({generations, ingress, inbox, ...options}: HostTimersOptions): Timers => {
  const kinds = (): ReadonlyMap<string, TimerRunner> => generations.current?.snapshot.messages.timers ?? new Map()
  return new Timers({
    ...options,
    find: (plugin, name) => {
      const timer = kinds().get(`${pluginPath(plugin)}/timer/${name}`)?.timer
      if (timer === undefined) return undefined
      const {id, definition} = timer
      return {id, missed: definition.missed ?? "once", problemOf: data => misfitOf("data", definition.data, data)}
    },
    declared: () =>
      (generations.current?.instances ?? []).flatMap(({name, registrations}) =>
        [...registrations.timers.keys()].map(timer => [name, timer] as const),
      ),
    settled: () => generations.settled(),
    isPaused: () => ingress.isPaused,
    fire: (firings, around) => inbox.fire(firings, around),
  })
}
