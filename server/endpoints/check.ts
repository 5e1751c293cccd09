import type {EndpointCheck} from "../../shared/api/endpoints.ts"
import {messageOf, Problem} from "../../shared/problems.ts"
import type {AdapterFinding} from "../../shared/sdk/adapter/adapter.ts"
import {isRefusal} from "../../shared/sdk/adapter/refusal.ts"
import type {Static} from "../../shared/type.ts"
import type {EndpointSpec} from "./spec.ts"

/** A platform has so long to answer, in milliseconds: less than a request may take. */
const checkTime = 45_000

/**
 * Asks an endpoint's platform whether its account can work. What keeps it from that is a finding. Throws `unsupported` where the
 * endpoint's adapter has no check, and the reason of the signal.
 */
export const checkEndpoint = async (
  {name, check, load, log}: EndpointSpec,
  signal: AbortSignal,
): Promise<Static<typeof EndpointCheck>> => {
  if (check === undefined)
    throw new Problem("unsupported", `the adapter of ${name} has no check`, {
      hint: `svc endpoint show ${name} tells whether it is connected, and its last error.`,
    })
  const begun = performance.now()
  const late = AbortSignal.timeout(checkTime)
  const findings = await Promise.race([check({load, log, signal: AbortSignal.any([signal, late])}), ended(late)]).catch(
    (error: unknown) => {
      if (signal.aborted) throw signal.reason
      return [late.aborted ? lateFinding : findingOf(error)]
    },
  )
  const milliseconds = Math.round(performance.now() - begun)
  return {name, ok: findings.every(({ok}) => ok), milliseconds, findings: findings.map(shown)}
}

/** What is in order needs no remedy. */
const shown = ({remediation, ...finding}: AdapterFinding): AdapterFinding =>
  finding.ok || remediation === undefined ? finding : {...finding, remediation}

const lateFinding: AdapterFinding = {
  what: "platform",
  ok: false,
  detail: `it did not answer within ${checkTime / 1000} s`,
  remediation: "Check the address in the account, and the network between the Host and the platform.",
}

const findingOf = (error: unknown): AdapterFinding => ({
  what: isRefusal(error) ? error.reason : "platform",
  ok: false,
  detail: messageOf(error),
  remediation: isRefusal(error)
    ? error.remediation
    : "Check the address in the account, and the network between the Host and the platform.",
})

const ended = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), {once: true}))
