import {type Asked, serve} from "../../../shared/api/operations/operation.ts"
import {hookOperations} from "../../../shared/api/operations/public.ts"
import {endpointName, pluginPath} from "../../../shared/ids.ts"
import {Problem} from "../../../shared/problems.ts"
import {type Call, isResponse} from "../../../shared/route.ts"
import type {Endpoint} from "../endpoint.ts"
import type {Endpoints} from "../endpoints.ts"
import type {Admission} from "../state.ts"

/** After how many seconds a platform may retry a delivery that the Host cannot accept now. */
export const retryAfter = 5

/** Webhook ingress: passes the raw request to the endpoint's adapter, which verifies the platform's signature. */
export const webhookRoutes = (endpoints: Pick<Endpoints, "get">) => {
  const hand = ({request, call}: Asked<typeof hookOperations.deliver>) =>
    answer(findEndpoint(endpoints, call), request, call.requestId)
  return serve(
    hookOperations,
    {deliver: hand, ask: hand},
    {admit: call => void requireOpen(findEndpoint(endpoints, call))},
  )
}

const findEndpoint = (
  endpoints: Pick<Endpoints, "get">,
  {params: {plugin = "", endpoint: name = ""}}: Call,
): Endpoint => {
  const own = endpoints.get(endpointName(plugin, name))
  const endpoint = own?.spec.onlyReceives !== undefined ? own : endpoints.get(name)
  const isThere = endpoint?.spec.open !== undefined && endpoint.spec.owner === pluginPath(plugin)
  if (isThere && endpoint.spec.sockets === true)
    throw new Problem("upgrade_required", "the platform of this endpoint connects by WebSocket")
  if (!isThere || endpoint.spec.webhook === undefined)
    throw new Problem("endpoint_unknown", "no endpoint accepts webhooks here")
  return endpoint
}

/** Throws `ingress_paused`, `admission_closed`. */
export const requireAdmission = (admission: Admission): void => {
  if (admission.is === "open") return
  const code = admission.reason === "ingress_paused" ? "ingress_paused" : "admission_closed"
  throw new Problem(code, "the endpoint does not admit events now", {retryAfter})
}

/** Throws `ingress_paused`, `admission_closed`. */
const requireOpen = ({spec: {webhook}, admission, opened}: Endpoint) => {
  requireAdmission(admission)
  if (opened === undefined || webhook === undefined) {
    throw new Problem("admission_closed", "the endpoint is not open yet", {retryAfter})
  }
  return {webhook, opened}
}

const answer = async (endpoint: Endpoint, request: Request, requestId: string): Promise<Response> => {
  try {
    const {webhook, opened} = requireOpen(endpoint)
    const response: unknown = await webhook(request, opened, requestId)
    if (isResponse(response)) return response
    throw new Problem("internal", "the adapter returned no Response")
  } catch (error) {
    throw error instanceof Problem ? toBeRetried(error) : error
  }
}

/** A platform may retry a delivery that the Host cannot accept now: adds when. */
const toBeRetried = (problem: Problem): Problem => {
  if (problem.status !== 503 || problem.retryAfter !== undefined) return problem
  const {code, message, issues, hint} = problem
  return new Problem(code, message, {cause: problem, issues, hint, retryAfter})
}
