import type {Prepared} from "../../../server/recovery/release/verification/prepared.ts"
import type {ReleaseStep, ReleaseView, RestorePoint} from "../../../shared/api/release.ts"
import {duration, type Facts, facts} from "../print.ts"

const point = ({checkpoint, commit, image, lockfile, configuration, schema, version}: RestorePoint): Facts => [
  ["checkpoint", `${checkpoint}, verified`],
  ["commit", commit ?? "not known"],
  ["image", image],
  ["lockfile", lockfile === null ? "none" : `${lockfile.name} ${lockfile.sha256}`],
  ["configuration", `${configuration.sha256}, generation ${configuration.generation ?? "none"}`],
  ["database", `schema ${schema}, svc ${version}`],
]

const next: Record<ReleaseView["state"], string> = {
  beginning: "wait, or repeat svc release begin, or svc release abort",
  begun:
    "svc release verify <commit>, svc release install, svc runtime restart, svc release complete --accepted-by <name>; or svc release abort",
  observing: "observe it; to go back: svc rollback <checkpoint>",
  complete: "nothing",
  aborted: "nothing",
  rolled_back: "nothing",
}

const stateOf = ({state, windowEnds, windowLeft}: ReleaseView): string =>
  state === "observing"
    ? `complete; under observation for another ${duration(windowLeft)}, until ${windowEnds}`
    : state.replace("_", " ")

/** Returns a step of a verification in one line, followed by its output if it failed. */
export const describeStep = (step: ReleaseStep): string => {
  const {ok, skipped, detail, output} = step
  const shown = detail
    .trimEnd()
    .split("\n")
    .filter(text => text !== "")
  const whole = ok || output === undefined ? [] : [`full output: ${output}`]
  return [stepLine(step), ...(ok && !skipped ? [] : shown), ...whole].join("\n    ")
}

const stepLine = ({name, ok, skipped, seconds, command}: ReleaseStep): string =>
  `${name.padEnd(9)} ${(skipped ? "left out" : ok ? "ok" : "FAILED").padEnd(9)} ${`${seconds.toFixed(1)} s`.padStart(8)}  ${command}`.trimEnd()

/** Returns `passed` or the failed step; empty if nothing was tried. */
export const verdict = ({verification}: ReleaseView): string => {
  if (verification === null) return ""
  const failed = verification.steps.find(({ok}) => !ok)
  return verification.ok ? "passed" : `failed: ${failed?.name ?? "not finished"}`
}

const describeVerification = (release: ReleaseView): Facts => {
  const {verification} = release
  if (verification === null) return [["verification", "not yet: svc release verify"]]
  return [
    ["verification", `${verification.commit ?? "a copy of the project"} ${verdict(release)}`],
    ["", verification.steps.map(stepLine)],
  ]
}

export const describePrepared = ({at, by, verification: {commit, build}}: Prepared): string =>
  facts([
    ["prepared", `${commit ?? "a copy of the project"}, lockfile ${build?.lockfile}`],
    ["", `${at}, by ${by}: svc release begin, then svc release verify`],
  ])

export const describeRelease = (release: ReleaseView): string =>
  facts([
    ["release", release.id],
    ["state", stateOf(release)],
    ["began", release.beganAt],
    ["ended", release.endedAt],
    ["problem", release.problem && `${release.problem.code}: ${release.problem.detail}`],
    ...(release.restorePoint === null ? [] : point(release.restorePoint)),
    ...describeVerification(release),
    ["unverified", release.unverified],
    ["accepted by", release.acceptedBy],
    ["reason", release.reason],
    ["next", next[release.state]],
  ])
