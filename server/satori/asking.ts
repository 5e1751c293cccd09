import {setTimeout as sleep} from "node:timers/promises"
import {Problem} from "../../shared/problems.ts"
import type {Feature, Sender} from "../../shared/sdk/adapter/sender.ts"
import {ask as askEndpoint, patience} from "../endpoints/ask.ts"
import type {Endpoints} from "../endpoints/endpoints.ts"
import type {OutboxDraft} from "../outbox/draft.ts"
import type {Outbox} from "../outbox/outbox.ts"
import type {History} from "./history.ts"
import type {KnownLogin} from "./protocol.ts"

/** An act is looked at so often, in milliseconds: a platform takes some hundreds. */
const lookEvery = {first: 10, longest: 250} as const

export interface MethodServices {
  readonly outbox: Pick<Outbox, "enqueue">
  readonly endpoints: Endpoints
  readonly history: History
}

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
  throw new Problem("not_implemented", `${login.platform} does not support ${method}: it lacks the feature ${feature}`)
}

/** Asks the login's platform now. Throws what `askEndpoint` throws. */
export const ask = <T>(
  {endpoints}: MethodServices,
  {endpoint}: KnownLogin,
  work: (sender: Sender, signal: AbortSignal) => Promise<T> | undefined,
): Promise<T> => askEndpoint(endpoints.require(endpoint), work)

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
