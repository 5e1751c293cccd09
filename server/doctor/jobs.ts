import {formatIssue, toProblem} from "../../shared/problems.ts"
import type {OnceResult} from "../host/once/once.ts"
import type {ProjectPaths} from "../runtime/project.ts"
import type {JobFileContent} from "../scheduler/job-file/job-file.ts"
import {jobFileName, readJobFile} from "../scheduler/job-file/job-store.ts"
import {error, type Finding, ok, warning} from "./finding.ts"

const check = "jobs"

/** Checks the job file, and that it matches the jobs of the plugins. `tried` is a one-shot start of the project. */
export const checkJobs = async (paths: ProjectPaths, tried: OnceResult | undefined): Promise<readonly Finding[]> => {
  try {
    const content = await readJobFile(paths.jobs)
    return [describe(content), ...(tried?.committed === true ? compare(content?.jobs ?? [], tried.jobs) : [])]
  } catch (cause) {
    const {issues, message, hint} = toProblem(cause, "internal")
    return [error(check, issues.map(formatIssue).join("\n") || message, hint)]
  }
}

const describe = (content: JobFileContent | undefined): Finding => {
  if (content === undefined) return ok(check, `no ${jobFileName}`)
  const stamped =
    content.authority === undefined ? "; it names no authority: the first start writes the project's into it" : ""
  return ok(check, `${jobFileName} is valid; jobs: ${content.jobs.length}${stamped}`)
}

/** Finds the declared jobs that the file does not call, and the called jobs that no plugin declares. */
const compare = (jobs: JobFileContent["jobs"], declared: readonly string[]): readonly Finding[] => {
  const called = jobs.flatMap(({id, target: {plugin, job}}) =>
    plugin === undefined ? [] : [{id, name: `${plugin}/${job}`}],
  )
  const idle = declared.filter(name => !called.some(each => each.name === name))
  const lost = called.filter(({name}) => !declared.includes(name))
  return [
    ...(idle.length === 0 ? [] : [ok(check, `declared by plugins, but called by no job: ${idle.join(", ")}`)]),
    ...lost.map(({id, name}) =>
      warning(
        check,
        `job ${id} calls ${name}, which no plugin declares`,
        `svc schedule edit ${id}, or svc schedule remove ${id}`,
      ),
    ),
  ]
}
