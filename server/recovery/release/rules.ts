import type {Manifest} from "../../../shared/checkpoint.ts"
import {Problem} from "../../../shared/problems.ts"
import type {ReleaseEntry, ReleaseView} from "../../../shared/release.ts"
import {releasesOf, underWay} from "./history.ts"

/** The release under way, in one of these states. Throws `release_refused`, with what to do instead. */
export const requireUnderWay = (
  entries: readonly ReleaseEntry[],
  states: readonly ReleaseView["state"][] = ["begun"],
): ReleaseView => {
  const current = underWay(entries)
  if (current !== undefined && states.includes(current.state)) return current
  if (current !== undefined) {
    throw new Problem("release_refused", `the checkpoint of the release ${current.id} is not there yet`, {
      hint: "Wait for svc release begin, repeat it where it failed, or svc release abort.",
    })
  }
  const [newest] = releasesOf(entries, Date.now())
  const before = newest === undefined ? "" : `; ${newest.id} is ${newest.state.replace("_", " ")}`
  throw new Problem("release_refused", `no release is under way${before}`, {hint: "Begin one: svc release begin."})
}

/** What runs must be what was tried. Throws `release_not_verified`. */
export const requireVerified = (release: ReleaseView, code: Manifest["code"]): void => {
  const why = unverified(release, code)
  if (why !== undefined) throw new Problem("release_not_verified", why)
}

const unverified = ({id, verification}: ReleaseView, {commit, clean}: Manifest["code"]): string | undefined => {
  if (verification === null) return `the release ${id} was not verified`
  const failed = verification.steps.find(({ok}) => !ok)
  if (!verification.ok) return `the release ${id} failed its verification: ${failed?.name ?? "not finished"}`
  if (commit !== null && commit !== verification.commit)
    return `commit ${verification.commit} was verified, and the project is at ${commit}`
  return clean === false ? "the git work tree has changes that are not committed, and were not verified" : undefined
}
