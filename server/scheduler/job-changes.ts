import type {Job, JobChange, JobRemoval} from "../../shared/api/scheduled/jobs.ts"
import {Problem} from "../../shared/problems.ts"
import {requireValidJob} from "./job-file/job-findings.ts"
import {revisionOf} from "./revision.ts"

type Jobs = readonly Job[]

/** Returns the job with an id. Throws `job_unknown`. */
export const findJob = (jobs: Jobs, id: string): Job => {
  const job = jobs.find(each => each.id === id)
  if (job === undefined) throw new Problem("job_unknown", `there is no job ${id}`)
  return job
}

/** Throws `conflict` if the job has another revision than the caller has seen. */
const requireRevision = (job: Job, expected: string | undefined): void => {
  if (expected === undefined || revisionOf(job) === expected) return
  throw new Problem("conflict", `somebody else has changed ${job.id}`, {current: job})
}

/** Adds a job. Throws `conflict` if the id is taken, and `request_invalid`. */
export const addJob = (jobs: Jobs, job: Job): Jobs => {
  requireValidJob(job)
  const current = jobs.find(({id}) => id === job.id)
  if (current !== undefined) throw new Problem("conflict", `there is already a job ${job.id}`, {current})
  return [...jobs, job]
}

/** Edits a job. Throws `job_unknown`, `conflict`, and `request_invalid` if the result is not a valid job. */
export const editJob = (jobs: Jobs, id: string, {clear = [], expectedRevision, ...change}: JobChange): Jobs => {
  const keys: readonly string[] = clear
  const job = findJob(jobs, id)
  requireRevision(job, expectedRevision)
  const kept = Object.entries({...job, ...change}).filter(([key]) => !keys.includes(key))
  const edited = Object.fromEntries(kept) as Job
  requireValidJob(edited)
  return jobs.map(each => (each === job ? edited : each))
}

/** Removes a job. Throws `job_unknown`, `conflict`. */
export const removeJob = (jobs: Jobs, id: string, {expectedRevision}: JobRemoval = {}): Jobs => {
  const gone = findJob(jobs, id)
  requireRevision(gone, expectedRevision)
  return jobs.filter(job => job !== gone)
}
