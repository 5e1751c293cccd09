import {setTimeout as sleep} from "node:timers/promises"
import {messageOf, Problem} from "../../shared/problems.ts"
import {isRefusal, postponementOf} from "../../shared/sdk/adapter/refusal.ts"
import type {Sender} from "../../shared/sdk/adapter/sender.ts"
import {TimeLimitExceeded, withTimeLimit} from "../runtime/flow/time-limit.ts"
import type {Endpoint} from "./endpoint.ts"

/** How long the platform may take to answer a request, in milliseconds. */
export const patience = 10_000

/** Throws `endpoint_offline`, `platform_failed` for a refusal or a time-out, and the reason of `outer`. */
export const ask = async <T>(
  endpoint: Endpoint,
  work: (sender: Sender, signal: AbortSignal) => Promise<T> | undefined,
  outer?: AbortSignal,
): Promise<T> => {
  const {sender, spec, state} = endpoint
  const {name} = spec
  if (sender === undefined)
    throw new Problem("endpoint_offline", `${name} is ${state.is}`, {retryAfter: 5, failure: "unavailable"})
  try {
    return await withTimeLimit(
      patience,
      async signal => {
        const asked = work(sender, signal)
        if (asked === undefined)
          throw new Problem("not_supported", `${name} declares this, but its adapter does not implement it`)
        return asked
      },
      outer,
    )
  } catch (error) {
    if (outer?.aborted) throw outer.reason
    throw error instanceof Problem ? error : failureOf(error, endpoint)
  }
}

/** Converts an adapter's error. Unless it is a refusal, only the log contains it, with secrets hidden. */
const failureOf = (error: unknown, {spec: {name, log}}: Endpoint): Problem => {
  const told = isRefusal(error) ? "refused" : error instanceof TimeLimitExceeded ? "unknown" : undefined
  if (told !== undefined) return new Problem("platform_failed", messageOf(error), {failure: told})
  log.warn(`${name} did not answer: ${messageOf(error)}`, {error})
  return new Problem("platform_failed", `${name} failed; see the Host's log for the error`, {failure: "unavailable"})
}

/** Calls a method now, in its turn. Waits if the platform asks to, as long as there is time. Throws like `ask`. */
export const askMethod = (
  endpoint: Endpoint,
  method: string,
  params: Readonly<Record<string, unknown>>,
  turn = async (_: AbortSignal): Promise<void> => {},
): Promise<unknown> => {
  const end = performance.now() + patience
  return ask(endpoint, (sender, signal) => {
    const calling = async (): Promise<unknown> => {
      await turn(signal)
      return sender.call?.(method, params, signal).catch(async error => {
        const wait = postponementOf(error)
        if (wait === undefined) throw error
        if (performance.now() + wait >= end)
          throw new Problem("platform_failed", messageOf(error), {
            retryAfter: Math.ceil(wait / 1000),
            failure: "limited",
          })
        await sleep(wait, undefined, {signal})
        return calling()
      })
    }
    return sender.call && calling()
  })
}
