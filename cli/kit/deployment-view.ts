import {createTwoFilesPatch, FILE_HEADERS_ONLY} from "diff"
import type {DeploymentPlan} from "../../server/process/deploy.ts"
import {facts} from "./print.ts"

/** What was done with each file, or, undefined, what would be. */
type Written = readonly string[] | undefined

/** As `--json` prints it. */
export const outcome = (plan: DeploymentPlan, written: Written) => ({
  template: plan.template,
  ...plan.values,
  files: plan.files.map(({path, state}) => ({path, state, written: written?.includes(path) ?? false})),
  notes: plan.notes,
  next: plan.next,
})

const words = {
  new: ["would be written", "left out"],
  same: ["is what the template makes", "is what the template makes"],
  changed: ["differs", "left as it is: it differs"],
  kept: ["left as it is", "left as it is"],
} as const

/** What a person reads of it; also at the end of `svc init --deploy`. */
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

/** What the template would change in each file that differs. */
export const differences = ({files}: DeploymentPlan): string[] =>
  files
    .filter(({state}) => state === "changed")
    .map(({path, before, after}) =>
      createTwoFilesPatch(path, `${path}, by the template`, before, after, undefined, undefined, {
        headerOptions: FILE_HEADERS_ONLY,
      }).trimEnd(),
    )
