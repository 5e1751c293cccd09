import {type Asked, serve} from "../../../shared/api/operations/operation.ts"
import {jobOperations} from "../../../shared/api/operations/work.ts"
import type {JobChange, JobView} from "../../../shared/api/scheduled/jobs.ts"
import {Problem} from "../../../shared/problems.ts"
import {isTimezone} from "../../../shared/timezone.ts"
import type {Database} from "../../database/database.ts"
import {pageOf} from "../../database/lists/pages.ts"
import {findJob} from "../job-changes.ts"
import {viewNext} from "../job-view.ts"
import type {Jobs} from "../jobs.ts"
import {withLastRuns} from "./job-runs.ts"

export const jobRoutes = (jobs: Jobs, database: Database) => {
  const view = async (id: string): Promise<JobView> => {
    const [found] = await withLastRuns(database, [jobs.get(id)])
    if (found === undefined) throw new Problem("job_unknown", `there is no job ${id}`)
    return found
  }
  const edit = async (id: string, change: JobChange): Promise<JobView> => {
    await jobs.edit(id, change)
    return view(id)
  }
  return serve(jobOperations, {
    calendar: asked => jobs.scheduler.calendar(spanOf(asked)),
    list: async asked => {
      const {items, next} = pageOf(jobs.list(), asked)
      const views = items.map(job => jobs.view(job))
      return {items: await withLastRuns(database, views), next, file: jobs.file}
    },
    show: ({params}) => view(params.id),
    next: ({params, query}) => viewNext(findJob(jobs.scheduler.jobs, params.id), Number(query.count), Date.now()),
    add: async ({body}) => {
      await jobs.add(body)
      return view(body.id)
    },
    check: ({body}) => jobs.check(body),
    edit: ({params, body}) => edit(params.id, body),
    pause: ({params}) => edit(params.id, {enabled: false}),
    resume: ({params}) => edit(params.id, {enabled: true}),
    run: async ({params}) => ({id: await jobs.run(params.id)}),
    remove: async ({params: {id}, body}) => {
      await jobs.remove(id, body)
      return {id}
    },
  })
}

const spanOf = ({query: {from, timezone = "UTC", days, limit}}: Asked<typeof jobOperations.calendar>) => {
  if (!isTimezone(timezone)) throw new Problem("request_invalid", `timezone: there is no timezone "${timezone}"`)
  const at = from === undefined ? undefined : Date.parse(from)
  if (Number.isNaN(at)) throw new Problem("request_invalid", `from: "${from}" is not a time`)
  return {timezone, days: Number(days), limit: Number(limit), ...(at === undefined ? {} : {from: at})}
}
