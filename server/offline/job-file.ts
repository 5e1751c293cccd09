import type {DraftCheck} from "../../shared/api/scheduled/drafts.ts"
import type {Job, JobView, NextTimes} from "../../shared/api/scheduled/jobs.ts"
import {Problem} from "../../shared/problems.ts"
import type {Static} from "../../shared/type.ts"
import {readAuthorityFile} from "../database/authority.ts"
import {holding} from "../project/held.ts"
import {requireProject} from "../project/settings.ts"
import {projectPaths} from "../runtime/project.ts"
import {Calculator} from "../scheduler/calculator.ts"
import {checkDraft} from "../scheduler/draft-check.ts"
import {draftFindings} from "../scheduler/job-file/job-findings.ts"
import {readJobFile, requireAuthority, writeJobFile} from "../scheduler/job-file/job-store.ts"
import {viewJob, viewNext} from "../scheduler/job-view.ts"

export {addJob, editJob, findJob, removeJob} from "../scheduler/job-changes.ts"

/** The jobs of a project whose Host is stopped. Throws `jobs_invalid`, `project_missing`. */
export const readJobs = async (project: string): Promise<readonly Job[]> => {
  const paths = projectPaths(project)
  await requireProject(paths)
  return (await readJobFile(paths.jobs))?.jobs ?? []
}

/**
 * Changes the jobs of a project whose Host is stopped; the next start takes them. Throws what `change` throws, `locked`
 * where a Host holds the project, `jobs_invalid`, and `authority_mismatch`.
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
    // Of a project that no Host has started in yet, none: the first start stamps the job file.
    const authority = content === undefined ? file?.authority : content.authority
    return (await writeJobFile(paths.jobs, authority, change(content?.jobs ?? []))).jobs
  })
}

/** A job as it will be at the next start; what was missed by then is not known yet. */
export const viewStopped = (job: Job): Static<typeof JobView> => {
  const {id, schedule, timezone, enabled} = job
  if (enabled === false) return viewJob(job, {nextAt: undefined, openRuns: 0, problem: undefined})
  const next = new Calculator().times(schedule, timezone).after(Date.now())
  const problem = `no Host runs: ${id} does not fire until one does`
  return viewJob(job, {nextAt: next, openRuns: 0, problem})
}

/** What is wrong with a job that somebody is typing, as far as nobody need ask a Host; and its coming times. */
export const checkStopped = (job: unknown, count: number): DraftCheck =>
  checkDraft(job, draftFindings(job), Date.now(), {count})

/** The coming times of a job of a project whose Host is stopped. */
export const nextStopped = (jobs: readonly Job[], id: string, count: number): NextTimes => {
  const job = jobs.find(each => each.id === id)
  if (job === undefined) throw new Problem("job_unknown", `there is no job ${id}`)
  return viewNext(job, count, Date.now())
}
