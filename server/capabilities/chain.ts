import type {Attempts} from "./attempts.ts"
import type {Dispatch, StoredEvent} from "./handling.ts"

/**
 * Runs an event's middleware, each around what follows it, and innermost its handlers, side by side. What fails, or has ended
 * in an earlier run, lets the event pass. Resolves to the pause after which a handler is to run again, in milliseconds.
 */
export const runChain = (
  attempts: Attempts,
  dispatch: Dispatch,
  stored: StoredEvent,
  handlers: readonly string[],
): Promise<number | undefined> => {
  const {around, within} = dispatch.order(handlers)
  const runHandlers = async () => {
    const ended = await Promise.all(within.map(handler => attempts.run(dispatch, stored, handler)))
    const pauses = ended.flatMap(end => (end.is === "again" ? [end.pause] : []))
    return pauses.length === 0 ? undefined : Math.max(...pauses)
  }
  const runFrom = async (index: number): Promise<number | undefined> => {
    const middleware = around[index]
    if (middleware === undefined) return runHandlers()
    let inner: Promise<number | undefined> | undefined
    const next = () => {
      inner ??= runFrom(index + 1)
      return inner
    }
    const inside = [...around.slice(index + 1), ...within]
    try {
      const end = await attempts.run(dispatch, stored, middleware, {next, inside})
      return end.is === "stopped" || end.is === "left" ? inner : next()
    } finally {
      // What has begun inside ends before the conversation goes on.
      await inner?.catch(() => {})
    }
  }
  return runFrom(0)
}
