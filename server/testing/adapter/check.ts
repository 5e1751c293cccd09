import type {HostUnderTest} from "./host-under-test.ts"
import type {PlatformUnderTest} from "./platform.ts"
import type {EndpointState, Trial} from "./trial.ts"

/** Rejects with what is wrong; resolves to why nothing was checked, else to nothing. */
export type Check = (trial: Trial) => Promise<string | undefined>

/** The part of a check that begins when the endpoint is online. */
export type Connected = (trial: Trial, host: HostUnderTest, about: EndpointState) => Promise<string | undefined>

/** A check at an endpoint that is online; `lacks` tells why such an endpoint has nothing to check, and then no Host starts. */
export const where =
  (
    lacks: (about: EndpointState, platform: PlatformUnderTest) => string | undefined,
    check: Connected,
    withTypist = false,
  ): Check =>
  async trial => {
    const {endpoint} = trial.found
    const missing = endpoint && lacks(endpoint, trial.platform)
    if (missing !== undefined) return missing
    const host = await trial.connect(withTypist)
    const about = await trial.read(host)
    return lacks(about, trial.platform) ?? check(trial, host, about)
  }

/** Why an endpoint has nothing to check where `features` does not name this. */
export const unnamed = ({features}: EndpointState, feature: string): string | undefined =>
  features.includes(feature) ? undefined : `features does not name ${feature}`
