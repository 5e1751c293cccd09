import type {Manifest} from "../../../shared/api/checkpoint.ts"
import type {ReleaseEntry, ReleaseView} from "../../../shared/api/release.ts"
import {Problem} from "../../../shared/problems.ts"
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

/** The code of a project, as a Host that is asked to complete a release knows it. */
export interface RunningCode extends Pick<Manifest["code"], "commit" | "clean"> {
  /** What the project was at when the Host started; null where that is not known. */
  readonly started: string | null
  /** Without git: SHA-256 of the project's files as they are now. */
  readonly copy: () => Promise<string>
}

/** What runs must be what was tried. Throws `release_not_verified`. */
export const requireVerified = async (release: ReleaseView, code: RunningCode): Promise<void> => {
  const why = failureOf(release) ?? (await differenceOf(release, code))
  if (why !== undefined) throw new Problem("release_not_verified", why)
}

const failureOf = ({id, verification}: ReleaseView): string | undefined => {
  if (verification === null) return `the release ${id} was not verified`
  const failed = verification.steps.find(({ok}) => !ok)
  return verification.ok ? undefined : `the release ${id} failed its verification: ${failed?.name ?? "not finished"}`
}

const differenceOf = async (
  {verification}: ReleaseView,
  {commit, clean, started, copy}: RunningCode,
): Promise<string | undefined> => {
  if (verification?.copy !== undefined)
    return (await copy()) === verification.copy
      ? undefined
      : "the project has other files than those that were verified"
  if (commit === null) return undefined
  if (commit !== verification?.commit)
    return `commit ${verification?.commit} was verified, and the project is at ${commit}`
  if (clean === false) return "the git work tree has changes that are not committed, and were not verified"
  return started === null || started === commit
    ? undefined
    : `the Host was started at commit ${started}, and the project is at ${commit}: svc runtime restart`
}
