import {Problem} from "../../../shared/problems.ts"
import type {TimerHandler} from "../../../shared/sdk/plugin/declare-timer.ts"
import type {Statement} from "../../../shared/sdk/session/database.ts"
import type {Reply, Session} from "../../../shared/sdk/session/session.ts"
import type {ListedTimer, TimerDefinition, TimerOptions, TimerPlace, When} from "../../../shared/sdk/session/timer.ts"
import type {TSchema} from "../../../shared/type.ts"
import type {InboxEvent} from "../../inbox/intake/handling.ts"
import {misfitOf} from "../../runtime/text/explain.ts"
import type {Declared} from "../forms/declared.ts"

export type DeclaredTimer = Declared<TimerDefinition<TSchema>, TimerHandler<never>>

/** Sets timers for sessions; passed in by the composition root. */
export interface SessionTimers {
  /** Throws `timer_unknown`, `timer_invalid`. */
  prepare(
    plugin: string,
    name: string,
    when: When,
    data: unknown,
    place: Pick<InboxEvent["event"], "channel" | "user"> & {readonly endpoint: string},
    options?: TimerOptions,
  ): {readonly id: string; readonly statements: readonly Statement[]; stored(): void}
  /** Throws `timer_invalid`. */
  clearing(plugin: string, timer: string | Pick<ListedTimer, "id">): Statement
  /** Throws `timer_unknown`. */
  list(plugin: string, name: string, of: TimerPlace): Promise<readonly ListedTimer[]>
}

/** For a table without a Host: no timer can be set. */
export const noTimers: SessionTimers = {
  prepare: (plugin, name) => {
    throw new Problem("timer_unknown", `${plugin} declares no timer "${name}"`)
  },
  clearing: () => {
    throw new Problem("timer_invalid", "timers are not available here")
  },
  list: async () => [],
}

/** Runs the handler of a firing. Throws `timer_invalid` if its data no longer fits. */
export const runTimer = (
  {definition, handle}: DeclaredTimer,
  {event}: InboxEvent,
  session: Session,
  now: number,
): Reply => {
  const {name, data} = event._data as {readonly name: string; readonly data: unknown}
  const wrong = misfitOf("data", definition.data, data)
  if (wrong !== undefined) throw new Problem("timer_invalid", `the data of timer "${name}" does not fit: ${wrong}`)
  return handle(session, data as never, {lateBy: Math.max(0, now - event.timestamp)})
}
