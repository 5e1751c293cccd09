import {formatIssue} from "../../shared/problems.ts"
import type {ProjectPaths} from "../runtime/project.ts"
import {jobFileName, readJobFile} from "../scheduler/job-file/job-store.ts"
import {error, type Finding, ok} from "./finding.ts"
import {problemOf} from "./state.ts"

/** The job file can be read. */
export const checkJobFile = async (paths: ProjectPaths): Promise<Finding> => {
  const check = "jobs"
  try {
    const content = await readJobFile(paths.jobs)
    if (content === undefined) return ok(check, `no ${jobFileName}`)
    const stamped =
      content.authority === undefined ? "; it names no authority: the start gives the first one its own" : ""
    return ok(check, `${jobFileName} is valid; jobs: ${content.jobs.length}${stamped}`)
  } catch (cause) {
    const {issues, message, hint} = problemOf(cause)
    return error(check, issues.map(formatIssue).join("\n") || message, hint)
  }
}
