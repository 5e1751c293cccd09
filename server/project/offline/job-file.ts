import type {DraftCheck} from "../../../shared/api/scheduled/drafts.ts"
import type {Job, JobView, NextTimes} from "../../../shared/api/scheduled/jobs.ts"
import {projectPaths} from "../../runtime/project.ts"
import {checkDraft} from "../../scheduler/draft-check.ts"
import {addJob, editJob, findJob, removeJob} from "../../scheduler/job-changes.ts"
import {draftFindings} from "../../scheduler/job-file/job-findings.ts"
import {readJobFile, requireAuthority, writeJobFile} from "../../scheduler/job-file/job-store.ts"
import {viewJob, viewNext} from "../../scheduler/job-view.ts"
import {Calculator} from "../../scheduler/times/calculator.ts"
import {readAuthorityFile} from "../authority.ts"
import {holding} from "../held.ts"
import {requireProject} from "../settings.ts"

export {addJob, editJob, findJob, removeJob}

/** Reads the jobs of a stopped project. Throws `jobs_invalid`, `project_missing`. */
export const readJobs = async (project: string): Promise<readonly Job[]> => {
  const paths = projectPaths(project)
  await requireProject(paths)
  return (await readJobFile(paths.jobs))?.jobs ?? []
}

/**
 * Changes the jobs of a stopped project; the next start loads them. Throws the problems of `change`, `locked` if a Host holds
 * the project, `jobs_invalid`, and `authority_mismatch`.
 */
export const changeJobs = async (
  project: string,
  command: string,
  change: (jobs: readonly Job[]) => readonly Job[],
): Promise<readonly Job[]> => {
  await requireProject(projectPaths(project))
  return holding({project, command}, async paths => {
    const content = await readJobFile(paths.jobs)
    const file = await readAuthorityFile(paths.authority)
    if (content?.authority !== undefined && file !== undefined) requireAuthority(content, file.authority, true)
    // Before the first start there is no authority; that start writes it into the job file.
    const authority = content === undefined ? file?.authority : content.authority
    return (await writeJobFile(paths.jobs, authority, change(content?.jobs ?? []))).jobs
  })
}

/** Returns a job in the form of the next start, without the times that it will have missed. */
export const viewStopped = (job: Job): JobView => {
  const {id, schedule, timezone, enabled} = job
  if (enabled === false) return viewJob(job, {nextAt: undefined, openRuns: 0, problem: undefined})
  const next = new Calculator().times(schedule, timezone).after(Date.now())
  const problem = `no Host is running, so ${id} does not fire`
  return viewJob(job, {nextAt: next, openRuns: 0, problem})
}

/** Returns the errors of a draft job that can be found without a Host, and its next times. */
export const checkStopped = (job: unknown, count: number): DraftCheck =>
  checkDraft(job, draftFindings(job), Date.now(), {count})

export const nextStopped = (jobs: readonly Job[], id: string, count: number): NextTimes =>
  viewNext(findJob(jobs, id), count, Date.now())
