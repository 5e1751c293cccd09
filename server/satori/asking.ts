import {setTimeout as sleep} from "node:timers/promises"
import {messageOf, Problem} from "../../shared/problems.ts"
import {isRefusal} from "../../shared/sdk/adapter/refusal.ts"
import type {Feature, Sender} from "../../shared/sdk/adapter/sender.ts"
import type {Endpoint} from "../endpoints/endpoint.ts"
import type {Endpoints} from "../endpoints/endpoints.ts"
import type {OutboxDraft} from "../outbox/draft.ts"
import type {Outbox} from "../outbox/outbox.ts"
import {TimeLimitExceeded, withTimeLimit} from "../runtime/flow/time-limit.ts"
import type {History} from "./history.ts"
import type {KnownLogin} from "./protocol.ts"

/** The platform has so long to answer a request, and an act to end while its client waits, in milliseconds. */
const patience = 10_000

/** An act is looked at so often, in milliseconds: a platform takes some hundreds. */
const lookEvery = {first: 10, longest: 250} as const

export interface MethodServices {
  readonly outbox: Outbox
  readonly endpoints: Endpoints
  readonly history: History
}

type Parameters = Readonly<Record<string, unknown>>

/** Does the login's endpoint declare it, connected or not? */
export const can = ({endpoints}: MethodServices, {endpoint}: KnownLogin, feature: Feature): boolean =>
  endpoints.get(endpoint)?.spec.features.includes(feature) === true

/** Throws `not_implemented` where the login's endpoint does not declare it. */
export const requireFeature = (
  services: MethodServices,
  login: KnownLogin,
  feature: Feature,
  method: string = feature,
): void => {
  if (can(services, login, feature)) return
  throw new Problem("not_implemented", `${login.platform} does not do ${method}: no feature ${feature}`)
}

/** Asks the platform now. Throws `endpoint_offline`, and `platform_failed` where it does not answer in time or refuses. */
export const ask = async <T>(
  {endpoints}: MethodServices,
  {endpoint: name}: KnownLogin,
  work: (sender: Sender, signal: AbortSignal) => Promise<T> | undefined,
): Promise<T> => {
  const endpoint = endpoints.require(name)
  const {sender} = endpoint
  if (sender === undefined) throw new Problem("endpoint_offline", `${name} is ${endpoint.state.is}`, {retryAfter: 5})
  try {
    return await withTimeLimit(patience, async signal => {
      const asked = work(sender, signal)
      if (asked === undefined)
        throw new Problem("not_supported", `${name} declares this, and its adapter has none of it`)
      return asked
    })
  } catch (error) {
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
  services: MethodServices,
  login: KnownLogin,
  method: string,
  params: Parameters,
): Promise<unknown> => ask(services, login, (sender, signal) => sender.call?.(method, params, signal))

/**
 * Stores an act and waits for its end; resolves to the ids that it made, to undefined where it has not ended in time: it
 * is durable and will be done. Throws `ingress_paused`, and `platform_failed` where it ended otherwise.
 */
export const act = async (
  {outbox, history}: MethodServices,
  draft: OutboxDraft,
): Promise<readonly string[] | undefined> => {
  await outbox.enqueue(draft)
  const start = performance.now()
  for (let pause: number = lookEvery.first; performance.now() - start < patience; pause *= 2) {
    const outcome = await history.outcome(draft.id)
    if (outcome?.is === "done") return outcome.ids
    if (outcome?.is === "failed") throw new Problem("platform_failed", `${draft.id} is ${outcome.why}`)
    await sleep(Math.min(pause, lookEvery.longest))
  }
  return undefined
}
