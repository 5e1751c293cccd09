import {setTimeout as sleep} from "node:timers/promises"
import {Problem} from "../../../shared/problems.ts"
import type {Feature, Sender} from "../../../shared/sdk/adapter/sender.ts"
import {kindOf} from "../../../shared/sdk/content/satori-methods.ts"
import {fieldsOf} from "../../../shared/sdk/session/values.ts"
import {ask as askEndpoint, askMethod, patience} from "../../endpoints/ask.ts"
import type {Endpoints} from "../../endpoints/endpoints.ts"
import {callDraft, type OutboxDraft} from "../../outbox/draft.ts"
import type {Outbox} from "../../outbox/outbox.ts"
import type {History} from "./history.ts"
import type {KnownLogin} from "./protocol/protocol.ts"

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

/** Whether a login whose adapter declares this feature answers it as a method. */
export const isForwarded = (feature: string): boolean => kindOf(feature) !== undefined

/** Throws `not_found` if the method is not part of Satori, and `not_implemented` if the login's platform lacks it. */
export const forward = async (
  services: MethodServices,
  login: KnownLogin,
  method: string,
  params: Readonly<Record<string, unknown>>,
): Promise<unknown> => {
  const kind = kindOf(method)
  if (kind === undefined) throw new Problem("not_found", `Satori v1 has no method ${method.slice(0, 100)}`)
  requireFeature(services, login, method as Feature)
  if (kind.is === "read") return askMethod(services.endpoints.require(login.endpoint), method, params)
  const draft = callDraft(login.endpoint, {method, params})
  const ids = await act(services, draft)
  if (kind.is === "act") return {}
  const [id] = ids ?? []
  if (id !== undefined) return {...fieldsOf(params[kind.from]), id}
  throw new Problem("platform_failed", `the platform has returned no id yet; the outbox has the act as ${draft.id}`)
}
