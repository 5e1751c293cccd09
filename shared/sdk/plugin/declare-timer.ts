import type {Static, TSchema} from "../../type.ts"
import type {TimerHandle} from "../session/handle.ts"
import type {Reply, Session} from "../session/session.ts"
import type {TimerDefinition, TimerFired} from "../session/timer.ts"

/** Handles a timer that fires. The session is that of the timer's conversation: `session.send` sends there. */
export type TimerHandler<D = unknown> = (session: Session, data: D, timer: TimerFired) => Reply

/** `plugin.timer`; see `Plugin`. */
export interface DeclareTimer {
  (name: string, handler: TimerHandler): TimerHandle
  <D extends TSchema>(
    name: string,
    definition: TimerDefinition<D>,
    handler: TimerHandler<Static<D>>,
  ): TimerHandle<Static<D>>
}
