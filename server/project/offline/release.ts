import type {ReleaseVerification, ReleaseView} from "../../../shared/api/release.ts"
import {ReleaseRecord, releasesOf} from "../../recovery/release/record.ts"
import {requireUnderWay} from "../../recovery/release/rules.ts"
import {holding, type StoppedOptions} from "../held.ts"

/** Records a verification of the release under way while no Host runs. Throws `release_refused`, `locked`. */
export const recordVerification = (options: StoppedOptions, verification: ReleaseVerification): Promise<ReleaseView> =>
  holding(options, async paths => {
    const record = new ReleaseRecord(paths.releases)
    const before = await record.read()
    const {id: release} = requireUnderWay(before)
    const entries = [...before, await record.append({is: "verified", release, verification})]
    return releasesOf(entries, Date.now()).find(({id}) => id === release) ?? requireUnderWay(entries)
  })
