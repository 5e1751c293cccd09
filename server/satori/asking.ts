import {setTimeout as sleep} from "node:timers/promises"
import {Problem} from "../../shared/problems.ts"
import type {Feature, Sender} from "../../shared/sdk/adapter/sender.ts"
import {ask as askEndpoint, patience} from "../endpoints/ask.ts"
import type {Endpoints} from "../endpoints/endpoints.ts"
import type {OutboxDraft} from "../outbox/draft.ts"
import type {Outbox} from "../outbox/outbox.ts"
import type {History} from "./history.ts"
import type {KnownLogin} from "./protocol.ts"

/** How often to look for the result of an act, in milliseconds. A platform needs some hundreds. */
const lookEvery = {first: 10, longest: 250} as const

export interface MethodServices {
  readonly outbox: Pick<Outbox, "enqueue">
  readonly endpoints: Endpoints
  readonly history: History
}

/** Whether the login's endpoint declares the feature, connected or not. */
export const can = ({endpoints}: MethodServices, {endpoint}: KnownLogin, feature: Feature): boolean =>
  endpoints.get(endpoint)?.spec.features.includes(feature) === true

/** Throws `not_implemented` if the login's endpoint does not declare the feature. */
export const requireFeature = (
  services: MethodServices,
  login: KnownLogin,
  feature: Feature,
  method: string = feature,
): void => {
  if (can(services, login, feature)) return
  throw new Problem("not_implemented", `${login.platform} does not support ${method}: it lacks the feature ${feature}`)
}

/** Asks the login's platform now. Throws like `askEndpoint`. */
export const ask = <T>(
  {endpoints}: MethodServices,
  {endpoint}: KnownLogin,
  work: (sender: Sender, signal: AbortSignal) => Promise<T> | undefined,
): Promise<T> => askEndpoint(endpoints.require(endpoint), work)

/**
 * Stores an act and waits for its result. Resolves to the ids that the act created, or to undefined if it takes too
 * long: the act is durable then, and svc will perform it. Throws `ingress_paused`, or `platform_failed` if the act
 * fails.
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
