import {createTwoFilesPatch, FILE_HEADERS_ONLY} from "diff"
import type {DeploymentPlan} from "../../server/process/deployment/deploy.ts"
import {facts} from "./print.ts"

/** The files that were written, or undefined for a dry run. */
type Written = readonly string[] | undefined

/** Returns the result in the form of `--json`. */
export const outcome = (plan: DeploymentPlan, written: Written) => ({
  template: plan.template,
  ...plan.values,
  files: plan.files.map(({path, state}) => ({path, state, written: written?.includes(path) ?? false})),
  notes: plan.notes,
  next: plan.next,
})

const words = {
  new: ["would be written", "left out"],
  same: ["matches the template", "matches the template"],
  changed: ["differs", "unchanged: it differs from the template"],
  kept: ["unchanged", "unchanged"],
  extended: ["would get the variables that it lacks", "left out"],
} as const

/** Returns the result as text, also for the end of `svc init --deploy`. */
export const describePlan = (plan: DeploymentPlan, written: Written): string =>
  [
    facts(
      plan.files.map(({path, state}) => [
        path,
        written?.includes(path) ? "written" : words[state][written === undefined ? 0 : 1],
      ]),
    ),
    ...plan.notes.map(note => `note: ${note}`),
    ...plan.next.map((step, index) => `${index === 0 ? "next" : "then"}: ${step}`),
  ].join("\n")

/** Returns a patch for each file that differs from the template. */
export const differences = ({files}: DeploymentPlan): string[] =>
  files
    .filter(({state}) => state === "changed")
    .map(({path, before, after}) =>
      createTwoFilesPatch(path, `${path}, by the template`, before, after, undefined, undefined, {
        headerOptions: FILE_HEADERS_ONLY,
      }).trimEnd(),
    )
