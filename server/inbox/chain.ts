import type {Again} from "../runtime/flow/lanes.ts"
import type {Attempts, Ended, Inside} from "./attempts.ts"
import type {Dispatch, InboxEvent} from "./intake/handling.ts"
import type {Task} from "./intake/intake.ts"

/**
 * Runs an event's middleware, each around what follows it, and innermost its handlers, side by side. A middleware that
 * fails, or has ended in an earlier run, lets the event pass. Resolves to when a handler is to run again.
 */
export const runChain = async (
  attempts: Attempts,
  dispatch: Dispatch,
  stored: InboxEvent,
  {handlers, claimed}: Pick<Task, "handlers" | "claimed">,
): Promise<Again | undefined> => {
  const nested = dispatch.nest(handlers)
  // Without middleware, each handler's own attempt finds out whether it is too old.
  const ended = nested.around.length === 0 ? [] : await attempts.expiry.endAll(dispatch, stored, nested)
  const isLeft = (handler: string) => !ended.includes(handler)
  const [around, within] = [nested.around.filter(isLeft), nested.within.filter(isLeft)]
  const run = (handler: string, inside?: Inside) =>
    attempts.run({dispatch, stored, handler, isClaimed: claimed.delete(handler)}, inside)
  const runFrom = async (index: number): Promise<readonly Ended[]> => {
    const middleware = around[index]
    if (middleware === undefined) return Promise.all(within.map(handler => run(handler)))
    let begun: Promise<readonly Ended[]> | undefined
    const begin = () => {
      begun ??= runFrom(index + 1)
      return begun
    }
    const inside = [...around.slice(index + 1), ...within]
    try {
      const end = await run(middleware, {next: () => toEnd(begin()), inside})
      if (end.is === "stopped") return []
      return end.is === "left" ? [end, ...((await begun) ?? [])] : await begin()
    } finally {
      // Handlers that have begun inside end before the conversation continues.
      await begun?.catch(() => {})
    }
  }
  return longestPause(await runFrom(0))
}

const longestPause = (ends: readonly Ended[]): Again | undefined => {
  const repeated = ends.flatMap(end => (end.is === "again" ? [end] : []))
  const [longest] = repeated.sort((one, other) => other.pause - one.pause)
  return longest && {again: longest.pause, byClock: longest.byClock}
}

/** Never resolves if the end of the Host interrupted something inside: then both are interrupted, and run again. */
const toEnd = async (inside: Promise<readonly Ended[]>): Promise<void> => {
  if ((await inside).some(({is}) => is === "left")) await new Promise<never>(() => {})
}
