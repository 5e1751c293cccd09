import type {Job, JobChange} from "../../shared/api/scheduled/jobs.ts"
import {Problem} from "../../shared/problems.ts"
import {requireValidJob} from "./job-file/job-file.ts"

type Jobs = readonly Job[]

/** The job of that id. Throws `job_unknown`. */
export const findJob = (jobs: Jobs, id: string): Job => {
  const job = jobs.find(each => each.id === id)
  if (job === undefined) throw new Problem("job_unknown", `there is no job ${id}`)
  return job
}

/** Throws `conflict` where the id is taken, and `request_invalid`. */
export const addJob = (jobs: Jobs, job: Job): Jobs => {
  requireValidJob(job)
  if (jobs.some(({id}) => id === job.id)) throw new Problem("conflict", `there is a job ${job.id} already`)
  return [...jobs, job]
}

/** Throws `job_unknown`, and `request_invalid` where what becomes of it is no job. */
export const editJob = (jobs: Jobs, id: string, {clear = [], ...change}: JobChange): Jobs => {
  const keys: readonly string[] = clear
  const kept = Object.entries({...findJob(jobs, id), ...change}).filter(([key]) => !keys.includes(key))
  const edited = Object.fromEntries(kept) as Job
  requireValidJob(edited)
  return jobs.map(job => (job.id === id ? edited : job))
}

/** Throws `job_unknown`. */
export const removeJob = (jobs: Jobs, id: string): Jobs => {
  const gone = findJob(jobs, id)
  return jobs.filter(job => job !== gone)
}
