import {Problem} from "../../shared/problems.ts"
import type {Middleware, Session} from "../../shared/sdk/session.ts"
import type {Attempt} from "../inbox/handling.ts"
import type {Hold} from "../runtime/flow/time-limit.ts"
import type {Handler} from "./handler.ts"

export interface MiddlewareHandler extends Handler {
  readonly around: Middleware
}

/** Returns which of an event's handlers are middleware, outermost first, in the order of `known`. */
export const orderOf = (
  known: ReadonlyMap<string, unknown>,
  handlers: readonly string[],
): {readonly around: readonly string[]; readonly within: readonly string[]} => {
  if (known.size === 0) return {around: [], within: handlers}
  return {
    around: [...known.keys()].filter(id => handlers.includes(id)),
    within: handlers.filter(id => !known.has(id)),
  }
}

/**
 * One run of a middleware. Its time limit is suspended while the rest of the event is handled. `stops` returns true
 * once it has ended without `next`; a later `next` throws `late`.
 */
export const surround = ({around}: MiddlewareHandler) => {
  let state: "open" | "passed" | "stopped" = "open"
  return {
    handle: async (session: Session, attempt: Attempt, hold: Hold) => {
      const next = async () => {
        if (state === "stopped" || session.signal.aborted) {
          throw new Problem("late", "this middleware has already ended, and the event was passed on or stopped")
        }
        state = "passed"
        await hold(attempt.next())
      }
      const reply = await around(session, next)
      if (state === "open") state = "stopped"
      return reply
    },
    stops: () => state === "stopped",
  }
}
