import {messageOf, Problem} from "../../shared/problems.ts"
import {isRefusal} from "../../shared/sdk/adapter/refusal.ts"
import type {Sender} from "../../shared/sdk/adapter/sender.ts"
import {TimeLimitExceeded, withTimeLimit} from "../runtime/flow/time-limit.ts"
import type {Endpoint} from "./endpoint.ts"

/** The platform has so long to answer a request, in milliseconds. */
export const patience = 10_000

/**
 * Asks the platform now. Throws `endpoint_offline`, and `platform_failed` where it does not answer in time or refuses; the reason of
 * `outer` where that is aborted.
 */
export const ask = async <T>(
  endpoint: Endpoint,
  work: (sender: Sender, signal: AbortSignal) => Promise<T> | undefined,
  outer?: AbortSignal,
): Promise<T> => {
  const {sender, spec, state} = endpoint
  const {name} = spec
  if (sender === undefined) throw new Problem("endpoint_offline", `${name} is ${state.is}`, {retryAfter: 5})
  try {
    return await withTimeLimit(
      patience,
      async signal => {
        const asked = work(sender, signal)
        if (asked === undefined)
          throw new Problem("not_supported", `${name} declares this, and its adapter has none of it`)
        return asked
      },
      outer,
    )
  } catch (error) {
    if (outer?.aborted) throw outer.reason
    throw error instanceof Problem ? error : failureOf(error, endpoint)
  }
}

/** What else than a refusal an adapter throws is for the log, which hides the values of secrets. */
const failureOf = (error: unknown, {spec: {name, log}}: Endpoint): Problem => {
  if (isRefusal(error) || error instanceof TimeLimitExceeded) return new Problem("platform_failed", messageOf(error))
  log.warn(`${name} did not answer: ${messageOf(error)}`, {error})
  return new Problem("platform_failed", `${name} failed; the Host's log has what it met`)
}

/** Asks a method of Satori of the platform itself. */
export const askMethod = (
  endpoint: Endpoint,
  method: string,
  params: Readonly<Record<string, unknown>>,
): Promise<unknown> => ask(endpoint, (sender, signal) => sender.call?.(method, params, signal))
