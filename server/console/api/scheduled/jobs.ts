import {Accepted} from "../../../../shared/api/messages.ts"
import {PageQuery, page} from "../../../../shared/api/pages.ts"
import {DraftCheck, JobDraft} from "../../../../shared/api/scheduled/drafts.ts"
import {CalendarQuery, CalendarView} from "../../../../shared/api/scheduled/job-calendar.ts"
import {Job, JobChange, JobFileView, JobRemoval, JobView, NextView} from "../../../../shared/api/scheduled/jobs.ts"
import {Problem} from "../../../../shared/problems.ts"
import {isTimezone} from "../../../../shared/timezone.ts"
import {Named, Optional, type Static, Type} from "../../../../shared/type.ts"
import type {Database} from "../../../database/database.ts"
import {findJob} from "../../../scheduler/job-changes.ts"
import {viewNext} from "../../../scheduler/job-view.ts"
import type {Jobs} from "../../../scheduler/jobs.ts"
import {answering, type Call, type Operation, pageOf} from "../../operations.ts"
import {withLastRuns} from "./runs.ts"

const JobPage = Named("JobPage", {...page(JobView).properties, file: JobFileView})
const NextQuery = Type.Object({
  count: Optional.Integer({minimum: 1, maximum: 100, default: 5, description: "How many"}),
})

const viewOf = async (jobs: Jobs, database: Database, id: string): Promise<JobView> => {
  const [view] = await withLastRuns(database, [jobs.get(id)])
  if (view === undefined) throw new Problem("job_unknown", `there is no job ${id}`)
  return view
}

const spanOf = ({query}: Call) => {
  const {from, timezone = "UTC", days, limit} = query as Static<typeof CalendarQuery>
  if (!isTimezone(timezone)) throw new Problem("request_invalid", `timezone: there is no timezone "${timezone}"`)
  const at = from === undefined ? undefined : Date.parse(from)
  if (Number.isNaN(at)) throw new Problem("request_invalid", `from: "${from}" is not a time`)
  return {timezone, days: Number(days), limit: Number(limit), ...(at === undefined ? {} : {from: at})}
}

const idOf = (call: Call) => call.params.id ?? ""

export const listJobs = (jobs: Jobs, database: Database): Operation => ({
  summary: "The scheduled jobs, by id, and whether the Host accepts the job file as it is",
  query: PageQuery,
  response: {200: JobPage},
  handle: async (_, call) => {
    const {items, next} = pageOf(jobs.list(), call)
    const views = items.map(job => jobs.view(job))
    return call.json(JobPage, {items: await withLastRuns(database, views), next, file: jobs.file})
  },
})

export const showJob = (jobs: Jobs, database: Database): Operation => ({
  summary: "One job",
  response: {200: JobView},
  problems: ["job_unknown"],
  handle: async (_, call) => call.json(JobView, await viewOf(jobs, database, idOf(call))),
})

export const showCalendar = (jobs: Jobs): Operation => ({
  summary: "When jobs are due, day by day, with clock changes",
  query: CalendarQuery,
  response: {200: CalendarView},
  handle: async (_, call) => call.json(CalendarView, await jobs.scheduler.calendar(spanOf(call))),
})

export const showNextTimes = (jobs: Jobs): Operation => ({
  summary: "The next due times of a job",
  query: NextQuery,
  response: {200: NextView},
  problems: ["job_unknown"],
  handle: (_, call) => {
    const job = findJob(jobs.scheduler.jobs, idOf(call))
    return call.json(NextView, viewNext(job, Number(call.query.count), Date.now()))
  },
})

export const checkJob = answering({
  summary: "Check a job before it is added: its problems, and when it would be due; nothing is stored",
  body: JobDraft,
  answer: DraftCheck,
  run: ({body}, jobs: Jobs) => jobs.check(body),
})

export const addJob = answering({
  summary: "Add a job; it is in the file once this returns",
  body: Job,
  answer: JobView,
  status: 201,
  problems: ["conflict", "jobs_invalid"],
  run: async ({body}, jobs: Jobs, database: Database) => {
    await jobs.add(body)
    return viewOf(jobs, database, body.id)
  },
})

export const runJob = (jobs: Jobs): Operation => ({
  summary: "Run a job now, due or not; the run is durable once this returns",
  response: {202: Accepted},
  problems: ["job_unknown", "conflict", "ingress_paused"],
  handle: async (_, call) => call.json(Accepted, {id: await jobs.run(idOf(call))}, {status: 202}),
})

export const removeJob = answering({
  summary: "Remove a job from the file; its runs stay in the list",
  body: JobRemoval,
  answer: Accepted,
  problems: ["job_unknown", "conflict", "jobs_invalid"],
  run: async ({body, params: {id = ""}}, jobs: Jobs) => {
    await jobs.remove(id, body)
    return {id}
  },
})

export const editJob = (jobs: Jobs, database: Database): Operation => ({
  summary: "Change the fields that the body names",
  body: JobChange,
  ...changing(jobs, database, async call => (await call.body()) as JobChange),
})

export const pauseJob = (jobs: Jobs, database: Database): Operation => ({
  summary: "Disable a job, across restarts; its queued runs are cancelled",
  ...changing(jobs, database, () => ({enabled: false})),
})

export const resumeJob = (jobs: Jobs, database: Database): Operation => ({
  summary: "Enable a job; the Host does not catch up on missed runs",
  ...changing(jobs, database, () => ({enabled: true})),
})

const changing = (
  jobs: Jobs,
  database: Database,
  changeOf: (call: Call) => JobChange | Promise<JobChange>,
): Omit<Operation, "summary"> => ({
  response: {200: JobView},
  problems: ["job_unknown", "conflict", "jobs_invalid"],
  handle: async (_, call) => {
    await jobs.edit(idOf(call), await changeOf(call))
    return call.json(JobView, await viewOf(jobs, database, idOf(call)))
  },
})
