import {Accepted, PageQuery, page} from "../../../shared/api.ts"
import {Job, JobChange, JobFileView, JobView, NextView, RunView, runStates} from "../../../shared/jobs.ts"
import type {Row} from "../../../shared/plugin-database.ts"
import {Problem} from "../../../shared/problems.ts"
import type {Call, Route} from "../../../shared/route.ts"
import {type Static, Type} from "../../../shared/type.ts"
import type {Database} from "../../database/database.ts"
import {findJob} from "../../scheduler/job-changes.ts"
import {viewNext} from "../../scheduler/job-view.ts"
import type {Jobs} from "../../scheduler/jobs.ts"
import {pageOf, readPage, timeOf, toPage} from "./paging.ts"

const JobPage = Type.Object({...page(JobView).properties, file: JobFileView})
const RunPage = page(RunView)

const RunQuery = Type.Object({
  ...PageQuery.properties,
  job: Type.Optional(Type.String({minLength: 1, description: "Only runs of this job"})),
  state: Type.Optional(Type.Enum([...runStates])),
})

const NextQuery = Type.Object({
  count: Type.Optional(Type.Integer({minimum: 1, maximum: 100, default: 5, description: "How many"})),
})

const idOf = (call: Call) => call.params.id ?? ""

export const jobRoutes = (jobs: Jobs, database: Database): Route[] => [
  {
    method: "GET",
    path: "/api/jobs",
    scope: "demo",
    summary: "The scheduled jobs, by id, and whether their file is taken as it is",
    query: PageQuery,
    response: {200: JobPage},
    handle: (_, call) => call.json(JobPage, {...pageOf(jobs.list(), call), file: jobs.file}),
  },
  {
    method: "GET",
    path: "/api/jobs/:id",
    scope: "demo",
    summary: "One job",
    response: {200: JobView},
    problems: ["job_unknown"],
    handle: (_, call) => call.json(JobView, jobs.get(idOf(call))),
  },
  {
    method: "GET",
    path: "/api/jobs/:id/next",
    scope: "demo",
    summary: "The coming times of a job",
    query: NextQuery,
    response: {200: NextView},
    problems: ["job_unknown"],
    handle: (_, call) => {
      const job = findJob(jobs.scheduler.jobs, idOf(call))
      return call.json(NextView, viewNext(job, Number(call.query.count), Date.now()))
    },
  },
  {
    method: "POST",
    path: "/api/jobs",
    scope: "full",
    summary: "Add a job; it is in the file when this answers",
    body: Job,
    response: {201: JobView},
    problems: ["conflict", "jobs_invalid"],
    handle: async (_, call) => {
      const job = (await call.body()) as Job
      await jobs.add(job)
      return call.json(JobView, jobs.get(job.id), {status: 201})
    },
  },
  changing(jobs, {
    action: "edit",
    summary: "Change what is named",
    body: JobChange,
    changeOf: async call => (await call.body()) as JobChange,
  }),
  changing(jobs, {
    action: "pause",
    summary: "Turn a job off, across restarts; its queued runs are cancelled",
    changeOf: () => ({enabled: false}),
  }),
  changing(jobs, {
    action: "resume",
    summary: "Turn a job on; what was due meanwhile is not made up for",
    changeOf: () => ({enabled: true}),
  }),
  {
    method: "POST",
    path: "/api/jobs/:id/run",
    scope: "full",
    summary: "Run a job now, due or not; the run is durable when this answers",
    response: {202: Accepted},
    problems: ["job_unknown", "conflict", "ingress_paused"],
    handle: async (_, call) => call.json(Accepted, {id: await jobs.run(idOf(call))}, {status: 202}),
  },
  {
    method: "POST",
    path: "/api/jobs/:id/remove",
    scope: "full",
    summary: "Take a job out of the file; its runs stay in the list",
    response: {200: Accepted},
    problems: ["job_unknown", "jobs_invalid"],
    handle: async (_, call) => {
      await jobs.remove(idOf(call))
      return call.json(Accepted, {id: idOf(call)})
    },
  },
  {
    method: "GET",
    path: "/api/runs",
    scope: "demo",
    summary: "Runs of jobs, newest first",
    query: RunQuery,
    response: {200: RunPage},
    handle: async (_, call) => {
      const {limit, before} = readPage(call)
      const {job = null, state = null} = call.query as Static<typeof RunQuery>
      const rows = await database.read(
        `SELECT * FROM job_runs WHERE seq < ?1 AND (?2 IS NULL OR job = ?2) AND (?3 IS NULL OR state = ?3)
          ORDER BY seq DESC LIMIT ?4`,
        [before, job, state, limit + 1],
      )
      return call.json(
        RunPage,
        toPage(rows.map(viewRun), limit, ({seq}) => seq),
      )
    },
  },
  {
    method: "GET",
    path: "/api/runs/:id",
    scope: "demo",
    summary: "One run",
    response: {200: RunView},
    problems: ["run_unknown"],
    handle: async (_, call) => call.json(RunView, await readRun(database, idOf(call))),
  },
  {
    method: "POST",
    path: "/api/runs/:id/cancel",
    scope: "full",
    summary: "End a run that is queued or running; what it has queued is not sent",
    response: {200: RunView},
    problems: ["run_unknown", "run_state"],
    handle: async (_, call) => {
      await jobs.scheduler.runner.cancel(idOf(call))
      return call.json(RunView, await readRun(database, idOf(call)))
    },
  },
]

interface Change extends Pick<Route, "summary" | "body"> {
  readonly action: string
  changeOf(call: Call): JobChange | Promise<JobChange>
}

const changing = (jobs: Jobs, {action, changeOf, ...about}: Change): Route => ({
  method: "POST",
  path: `/api/jobs/:id/${action}`,
  scope: "full",
  response: {200: JobView},
  problems: ["job_unknown", "jobs_invalid"],
  ...about,
  handle: async (_, call) => {
    await jobs.edit(idOf(call), await changeOf(call))
    return call.json(JobView, jobs.get(idOf(call)))
  },
})

const readRun = async (database: Database, id: string): Promise<Static<typeof RunView>> => {
  const [row] = await database.read("SELECT * FROM job_runs WHERE run_id = ?", [id])
  if (row === undefined) throw new Problem("run_unknown", `there is no run ${id}`)
  return viewRun(row)
}

const textOf = (value: unknown): string | null => (value === null || value === undefined ? null : String(value))

const viewRun = (row: Row): Static<typeof RunView> => ({
  runId: String(row.run_id),
  seq: Number(row.seq),
  job: String(row.job),
  trigger: row.cause as Static<typeof RunView>["trigger"],
  state: row.state as Static<typeof RunView>["state"],
  scheduledFor: timeOf(row.scheduled_for) ?? "",
  missedFrom: timeOf(row.missed_from),
  reason: textOf(row.reason),
  error: textOf(row.error),
  createdAt: timeOf(row.created_at) ?? "",
  startedAt: timeOf(row.started_at),
  endedAt: timeOf(row.ended_at),
  runtimeId: textOf(row.runtime_id),
})
