import type {EndpointCheck} from "../../shared/api/endpoints.ts"
import {messageOf, Problem} from "../../shared/problems.ts"
import type {AdapterFinding} from "../../shared/sdk/adapter/adapter.ts"
import {isRefusal} from "../../shared/sdk/adapter/refusal.ts"
import type {Static} from "../../shared/type.ts"
import {TimeLimitExceeded, withTimeLimit} from "../runtime/flow/time-limit.ts"
import {openSocket} from "../runtime/outgoing/open-socket.ts"
import type {EndpointSpec} from "./spec.ts"

/** How long a platform may take to answer, in milliseconds: less than a request may take. */
const checkTime = 45_000

/**
 * Asks an endpoint's platform whether its account can work. Each obstacle is a finding. Throws `unsupported` if the
 * endpoint's adapter has no check, and the reason of the signal.
 */
export const checkEndpoint = async (
  {name, check, load, log}: EndpointSpec,
  signal: AbortSignal,
): Promise<Static<typeof EndpointCheck>> => {
  if (check === undefined)
    throw new Problem("unsupported", `the adapter of ${name} has no check`, {
      hint: `svc endpoint show ${name} shows whether it is connected, and its last error.`,
    })
  const begun = performance.now()
  const ask = (limited: AbortSignal) => check({load, log, openSocket, signal: limited})
  const findings = await withTimeLimit(checkTime, ask, signal).catch((error: unknown) => {
    if (signal.aborted) throw signal.reason
    return [findingOf(error)]
  })
  const milliseconds = Math.round(performance.now() - begun)
  return {name, ok: findings.every(({ok}) => ok), milliseconds, findings: findings.map(shown)}
}

/** A finding without a problem needs no remediation. */
const shown = ({remediation, ...finding}: AdapterFinding): AdapterFinding =>
  finding.ok || remediation === undefined ? finding : {...finding, remediation}

const unreached = "Check the address in the account, and the network between the Host and the platform."

const findingOf = (error: unknown): AdapterFinding => {
  const detail =
    error instanceof TimeLimitExceeded ? `it did not answer within ${checkTime / 1000} s` : messageOf(error)
  const {reason: what, remediation} = isRefusal(error) ? error : {reason: "platform", remediation: unreached}
  return {what, ok: false, detail, remediation}
}
