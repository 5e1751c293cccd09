import {isProblem, messageOf, Problem} from "../../../shared/problems.ts"
import type {Content} from "../../../shared/sdk/content/elements.ts"
import type {Middleware, Reply, Session} from "../../../shared/sdk/session/session.ts"
import {isUserError} from "../../../shared/sdk/session/user-error.ts"
import {holdWhileFailing, persist} from "../../database/persist.ts"
import type {Attempt, InboxEvent, Outcome, Work} from "../../inbox/intake/handling.ts"
import {withExpiry} from "../../outbox/age.ts"
import {type Hold, TimeLimitExceeded, withTimeLimit} from "../../runtime/flow/time-limit.ts"
import {replyTo} from "./failure.ts"
import type {Handler} from "./handler.ts"
import type {SessionOptions} from "./options.ts"
import {openSession} from "./session.ts"

export interface MiddlewareHandler extends Handler {
  readonly around: Middleware
}

/** Returns which of an event's handlers are middleware, outermost first, in the order of `known`. */
export const nestingOf = (
  known: ReadonlyMap<string, unknown>,
  handlers: readonly string[],
): {readonly around: readonly string[]; readonly within: readonly string[]} => {
  if (known.size === 0) return {around: [], within: handlers}
  return {around: [...known.keys()].filter(id => handlers.includes(id)), within: handlers.filter(id => !known.has(id))}
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

export type Runnable = Handler & {
  readonly handle: (session: Session, attempt: Attempt, hold: Hold) => Reply
  /** For a middleware that has ended: whether the event stops there. */
  readonly stops?: () => boolean
  /** What it leaves behind beside its own work. */
  readonly leaves?: () => Pick<Work, "writes" | "note">
  /** Called once what the handler queued is stored. */
  readonly stored?: () => void
}

/**
 * Runs one handler of an event in a new session, within its time limit. Resolves to its outcome, with what it queued.
 * Runs it again, in another session, while it fails because the storage does.
 */
export const runToEnd = async (
  handler: Runnable,
  stored: InboxEvent,
  attempt: Attempt,
  timeout: number,
  asked: Omit<SessionOptions, "stored" | "attempt" | "plugin" | "log" | "signal">,
): Promise<Outcome> => {
  const {plugin} = handler
  const about = {endpoint: stored.endpoint, event: stored.event.sn}
  const log = () => handler.log.with(about)
  const again = handler.retries === undefined || handler.retries === 0 ? {} : {retries: handler.retries}
  const work = async (signal: AbortSignal, hold: Hold): Promise<Outcome> => {
    if ((await attempt.expires?.()) === true) return {is: "interrupted"}
    const {session, hasGiven, end, close, abandon} = openSession({stored, attempt, plugin, ...asked, log, signal})
    try {
      // Until its files are stored too: the end of its instance waits for that.
      const toEnd = async () => {
        const reply = await handler.handle(session, attempt, hold)
        if (isReply(reply, hasGiven)) await session.send(reply)
        return end()
      }
      const left = await handler.run(() => holdWhileFailing(hold, toEnd), about)
      // A handler that ends too late leaves nothing behind.
      signal.throwIfAborted()
      return {
        is: "handled",
        ...again,
        ...left,
        ...withMore(left, handler.leaves?.()),
        ...(handler.stored === undefined ? {} : {afterwards: [...(left.afterwards ?? []), handler.stored]}),
        ...(handler.stops?.() === true ? {stops: true} : {}),
      }
    } catch (error) {
      abandon()
      throw error
    } finally {
      close()
    }
  }
  try {
    return await persist(handler.id, handler.log, () => withTimeLimit(timeout, work, handler.signal), handler.signal)
  } catch (error) {
    if (handler.signal.aborted) return {is: "interrupted", ...again}
    const answer = isUserError(error) ? replyTo(stored, error.message) : undefined
    if (answer !== undefined) {
      const notAfter = attempt.maxAge === undefined ? undefined : asked.now() + attempt.maxAge
      return {is: "handled", sends: [withExpiry(answer, undefined, notAfter)]}
    }
    log().error(`${handler.id} failed: ${messageOf(error)}`, {error})
    // A handler that timed out may still run, so it does not run again meanwhile. An event that misfits always will.
    const at = plugin?.positionOf?.(error)
    const where = at === undefined ? {} : {at}
    const isLasting = error instanceof TimeLimitExceeded || isProblem(error, "event_invalid")
    return {is: "failed", error: messageOf(error), ...where, ...(isLasting ? {} : again)}
  }
}

const withMore = ({writes = []}: Work, {writes: more = [], note}: Pick<Work, "writes" | "note"> = {}) => ({
  ...(more.length === 0 ? {} : {writes: [...writes, ...more]}),
  ...(note === undefined ? {} : {note}),
})

/** Returns whether a returned value is a reply. The id from `return session.prompt(…)` is not one. */
const isReply = (returned: Awaited<Reply>, hasGiven: (id: string) => boolean): returned is Content =>
  returned !== undefined && returned !== "" && !(typeof returned === "string" && hasGiven(returned))
