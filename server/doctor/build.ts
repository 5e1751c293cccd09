import {buildChanges, describeBuild} from "../recovery/build/compare.ts"
import {readBuild} from "../recovery/build/kept.ts"
import type {ProjectPaths} from "../runtime/project.ts"
import {error, type Finding, ok, warning} from "./finding.ts"
import type {HostStatus} from "./state.ts"

/** Checks that the running build matches the project's files, and that the packages match the lockfile. */
export const checkRunningBuild = async (
  {project}: ProjectPaths,
  running: HostStatus | "unknown" | undefined,
): Promise<Finding[]> => {
  const files = await readBuild(project)
  const packages = checkStamp(files)
  if (running === undefined || running === "unknown") return packages
  const {build, lastGood} = running
  const {stale} = build
  if (lastGood !== null) {
    const detail = `the last good generation ${lastGood.generation} runs, because the present project does not start: ${lastGood.why}`
    return [error("running build", detail, "Fix the project, then svc runtime restart"), ...packages]
  }
  if (stale.length > 0) {
    const detail = `the Host was started with --allow-stale; these builds do not match their source: ${stale.join(", ")}`
    return [error("running build", detail, "svc build, then svc runtime restart"), ...packages]
  }
  // A Host in development reloads saved changes, so a difference means nothing there.
  const changes = running.mode === "production" ? buildChanges(build, files) : []
  return [
    changes.length === 0
      ? ok("running build", describeBuild(build))
      : warning("running build", changes.join("; "), "svc runtime restart"),
    ...packages,
  ]
}

/** Compares the stamp of the installed packages with the lockfile. Most projects have no stamp: they install by hand. */
const checkStamp = ({installed, lockfile}: Awaited<ReturnType<typeof readBuild>>): Finding[] =>
  installed === null || installed === lockfile
    ? []
    : [
        warning(
          "packages",
          "node_modules has the packages of another lockfile, from svc release install",
          "Install the locked packages, then remove node_modules/.svc-lockfile; or run svc release install again.",
        ),
      ]
