import {Problem} from "../../shared/problems.ts"
import type {Feature} from "../../shared/sdk/adapter/sender.ts"
import {kindOf} from "../../shared/sdk/satori-methods.ts"
import {fieldsOf} from "../../shared/sdk/values.ts"
import {askMethod} from "../endpoints/ask.ts"
import {callDraft} from "../outbox/draft.ts"
import {act, type MethodServices, requireFeature} from "./asking.ts"
import type {KnownLogin} from "./protocol.ts"

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
