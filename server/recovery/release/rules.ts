import type {BuildIdentity} from "../../../shared/api/build.ts"
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

/** What a Host runs, as it is asked to complete a release. */
export interface Running {
  readonly build: BuildIdentity
  /** The project's files as they are now, which the next start takes. */
  readonly code: Pick<Manifest["code"], "commit" | "clean">
  /** Without git: SHA-256 of the project's files as they are now. */
  readonly copy: () => Promise<string>
}

/** What runs in an emergency is no release. Throws `release_not_verified`. */
export const requireCurrent = ({stale}: BuildIdentity): void => {
  if (stale.length === 0) return
  throw new Problem(
    "release_not_verified",
    `the Host was started with --allow-stale, and runs builds that do not fit their source: ${stale.join(", ")}`,
    {hint: "Run svc release install (or svc build), then svc runtime restart without --allow-stale."},
  )
}

/** What runs must be what was tried: contents are compared, never times. Throws `release_not_verified`. */
export const requireVerified = async (release: ReleaseView, running: Running): Promise<void> => {
  const why = failureOf(release) ?? (await differenceOf(release, running))
  if (why !== undefined) throw new Problem("release_not_verified", why)
}

/** What a release is completed with even so. */
export const warningsOf = ({installed}: BuildIdentity): readonly string[] =>
  installed === null
    ? ["nobody knows whether the packages are those of the lockfile: svc release install would have stamped them"]
    : []

const failureOf = ({id, verification}: ReleaseView): string | undefined => {
  if (verification === null) return `the release ${id} was not verified`
  const failed = verification.steps.find(({ok}) => !ok)
  return verification.ok ? undefined : `the release ${id} failed its verification: ${failed?.name ?? "not finished"}`
}

const differenceOf = async ({verification}: ReleaseView, {build, code, copy}: Running): Promise<string | undefined> => {
  if (verification === null) return undefined
  if (verification.copy !== undefined && (await copy()) !== verification.copy)
    return "the project has other files than those that were verified"
  const {commit, dirty, lockfile, installed} = build
  if (code.commit !== null && code.commit !== verification.commit)
    return `commit ${verification.commit} was verified, and the project is at ${code.commit}`
  if (code.clean === false) return "the git work tree has changes that are not committed, and were not verified"
  if (commit !== null && commit !== verification.commit)
    return `commit ${verification.commit} was verified, and the Host was started at commit ${commit}: svc runtime restart`
  if (dirty === true) return "the Host was started with changes that are not committed, and were not verified"
  if (installed !== null && installed !== lockfile)
    return "node_modules has the packages of another lockfile: svc release install, then svc runtime restart"
  return verification.build === undefined ? undefined : buildDifference(verification.build, build)
}

/** Which of what was built, and loaded, is not what was verified. */
const buildDifference = (verified: BuildIdentity, running: BuildIdentity): string | undefined => {
  if (verified.version !== running.version)
    return `svc ${verified.version} was verified, and svc ${running.version} runs`
  if (verified.lockfile !== running.lockfile) return "the Host was started with another lockfile than was verified"
  const others = running.plugins.filter(({name, origin, content}) => {
    const wanted = verified.plugins.find(each => each.name === name)
    return wanted !== undefined && origin !== "built-in" && (origin !== wanted.origin || content !== wanted.content)
  })
  return others.length === 0
    ? undefined
    : `the Host runs other code than was verified: ${others.map(({name, origin}) => `${name} (${origin})`).join(", ")}`
}
