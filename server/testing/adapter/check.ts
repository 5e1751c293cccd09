import type {HostUnderTest} from "./host-under-test.ts"
import type {PlatformUnderTest} from "./platform.ts"
import type {EndpointState, Trial} from "./trial.ts"

/** A check. Rejects with the failure. Resolves to why it checked nothing, or to undefined. */
export type Check = (trial: Trial) => Promise<string | undefined>

/** The part of a check that starts when the endpoint is online. */
export type Connected = (trial: Trial, host: HostUnderTest, about: EndpointState) => Promise<string | undefined>

/** Returns a check of an online endpoint. `lacks` returns why there is nothing to check; then no Host starts. */
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

/** Returns why an endpoint has nothing to check if `features` does not name this feature. */
export const unnamed = ({features}: EndpointState, feature: string): string | undefined =>
  features.includes(feature) ? undefined : `features does not name ${feature}`
