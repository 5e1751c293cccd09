import type {ReleaseStep, ReleaseView, RestorePoint} from "../../shared/release.ts"
import {duration, facts} from "../print.ts"

const point = ({checkpoint, commit, image, lockfile, configuration, schema, version}: RestorePoint) =>
  [
    ["checkpoint", `${checkpoint}, verified`],
    ["commit", commit ?? "not known"],
    ...(image === null ? [] : ([["image", image]] as const)),
    ["lockfile", lockfile === null ? "none" : `${lockfile.name} ${lockfile.sha256}`],
    ["configuration", `${configuration.sha256}, generation ${configuration.generation ?? "none"}`],
    ["database", `schema ${schema}, svc ${version}`],
  ] as const

const next: Record<ReleaseView["state"], string> = {
  beginning: "wait, or svc release begin again, or svc release abort",
  begun: "try and deploy the new version; svc release complete --accepted-by <name>; or svc release abort",
  observing: "observe it; to go back: svc rollback <checkpoint>",
  complete: "nothing",
  aborted: "nothing",
  rolled_back: "nothing",
}

const stateOf = ({state, windowEnds, windowLeft}: ReleaseView): string =>
  state === "observing"
    ? `complete; observed for another ${duration(windowLeft)}, until ${windowEnds}`
    : state.replace("_", " ")

/** A step of a verification in one line, and what it printed where it failed. */
export const describeStep = ({name, ok, skipped, seconds, command, detail}: ReleaseStep): string => {
  const mark = skipped ? "left out" : ok ? "ok" : "FAILED"
  const shown = ok && !skipped ? "" : detail.trimEnd().replaceAll("\n", "\n    ")
  return [
    `${name.padEnd(9)} ${mark.padEnd(9)} ${seconds.toFixed(1)} s  ${command}`.trimEnd(),
    ...(shown === "" ? [] : [`    ${shown}`]),
  ].join("\n")
}

const verdict = ({verification}: ReleaseView): string => {
  if (verification === null) return "not yet"
  const failed = verification.steps.find(({ok}) => !ok)
  return `${verification.commit} ${verification.ok ? "passed" : `failed: ${failed?.name ?? "not finished"}`}`
}

/** A release for people. */
export const describeRelease = (release: ReleaseView): string =>
  facts([
    ["release", release.id],
    ["state", stateOf(release)],
    ["began", release.beganAt],
    ...(release.endedAt === null ? [] : [["ended", release.endedAt] as const]),
    ...(release.problem === null ? [] : [["problem", `${release.problem.code}: ${release.problem.detail}`] as const]),
    ...(release.restorePoint === null ? [] : point(release.restorePoint)),
    ["verification", verdict(release)],
    ...(release.unverified === null ? [] : [["unverified", release.unverified] as const]),
    ...(release.acceptedBy === null ? [] : [["accepted by", release.acceptedBy] as const]),
    ...(release.reason === null ? [] : [["reason", release.reason] as const]),
    ["next", next[release.state]],
  ])
