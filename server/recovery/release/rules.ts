import type {BuildIdentity} from "../../../shared/api/build.ts"
import type {Manifest} from "../../../shared/api/checkpoint.ts"
import type {ReleaseEntry, ReleaseView} from "../../../shared/api/release.ts"
import {Problem} from "../../../shared/problems.ts"
import {releasesOf, underWay} from "./record.ts"

/** Returns the release under way, if it is in one of these states. Throws `release_refused` with the next step. */
export const requireUnderWay = (
  entries: readonly ReleaseEntry[],
  states: readonly ReleaseView["state"][] = ["begun"],
): ReleaseView => {
  const current = underWay(entries)
  if (current !== undefined && states.includes(current.state)) return current
  if (current !== undefined) {
    throw new Problem("release_refused", `the checkpoint of the release ${current.id} does not exist yet`, {
      hint: "Wait for svc release begin, repeat it if it failed, or run svc release abort.",
    })
  }
  const [newest] = releasesOf(entries, Date.now())
  const before = newest === undefined ? "" : `; ${newest.id} is ${newest.state.replace("_", " ")}`
  throw new Problem("release_refused", `no release is under way${before}`, {hint: "Begin one: svc release begin."})
}

/** The running Host and its project, when an operator completes a release. */
export interface Running {
  readonly build: BuildIdentity
  /** The present code of the project, which the next start would run. */
  readonly code: Pick<Manifest["code"], "commit" | "clean">
  /** Without git: resolves to the SHA-256 of the project's present files. */
  readonly copy: () => Promise<string>
  /** Resolves to what runs but is not in the project's files. */
  readonly changes: () => Promise<readonly string[]>
}

/** Throws `release_not_verified` if the Host runs stale builds, which is for emergencies only. */
export const requireCurrent = ({stale}: BuildIdentity): void => {
  if (stale.length === 0) return
  throw new Problem(
    "release_not_verified",
    `the Host was started with --allow-stale, and runs builds that do not match their source: ${stale.join(", ")}`,
    {hint: "Run svc release install (or svc build), then svc runtime restart without --allow-stale."},
  )
}

/** Throws `release_not_verified` unless the Host runs exactly the verified build. Compares contents, never times. */
export const requireVerified = async (release: ReleaseView, running: Running): Promise<void> => {
  const why = failureOf(release) ?? (await differenceOf(release, running))
  if (why !== undefined) throw new Problem("release_not_verified", why)
}

/** Returns warnings that do not prevent the completion of a release. */
export const warningsOf = ({installed}: BuildIdentity): readonly string[] =>
  installed === null
    ? ["svc cannot tell whether the packages match the lockfile: they were not installed by svc release install"]
    : []

const failureOf = ({id, verification}: ReleaseView): string | undefined => {
  if (verification === null) return `the release ${id} was not verified`
  const failed = verification.steps.find(({ok}) => !ok)
  return verification.ok ? undefined : `the release ${id} failed its verification: ${failed?.name ?? "not finished"}`
}

const differenceOf = async (
  {verification}: ReleaseView,
  {build, code, copy, changes}: Running,
): Promise<string | undefined> => {
  if (verification === null) return undefined
  if (verification.copy !== undefined && (await copy()) !== verification.copy)
    return "the project's files differ from the verified ones"
  const {commit, dirty, lockfile, installed} = build
  if (code.commit !== null && code.commit !== verification.commit)
    return `commit ${verification.commit} was verified, but the project is at ${code.commit}`
  if (code.clean === false) return "the git work tree has uncommitted changes, which were not verified"
  if (commit !== null && commit !== verification.commit)
    return `commit ${verification.commit} was verified, but the Host was started at commit ${commit}: svc runtime restart`
  if (dirty === true) return "the Host was started with uncommitted changes, which were not verified"
  if (installed !== null && installed !== lockfile)
    return "node_modules has the packages of another lockfile: svc release install, then svc runtime restart"
  const difference = verification.build && buildDifference(verification.build, build)
  return difference ?? (await changes())[0]
}

const buildDifference = (verified: BuildIdentity, running: BuildIdentity): string | undefined => {
  if (verified.version !== running.version)
    return `svc ${verified.version} was verified, but the Host runs svc ${running.version}`
  if (verified.lockfile !== running.lockfile) return "the Host was started with a lockfile that was not verified"
  const others = running.plugins.filter(({name, origin, content}) => {
    const wanted = verified.plugins.find(each => each.name === name)
    return wanted !== undefined && origin !== "built-in" && (origin !== wanted.origin || content !== wanted.content)
  })
  return others.length === 0
    ? undefined
    : `the Host runs code that was not verified: ${others.map(({name, origin}) => `${name} (${origin})`).join(", ")}`
}
