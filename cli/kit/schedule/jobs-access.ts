import {
  addJob,
  changeJobs,
  checkStopped,
  editJob,
  findJob,
  nextStopped,
  readJobs,
  removeJob,
  viewStopped,
} from "../../../server/project/offline/job-file.ts"
import type {Answer} from "../../../shared/api/operations/client.ts"
import type {Job, JobChange, JobRemoval, JobView} from "../../../shared/api/scheduled/jobs.ts"
import {connectUnlessStopped, type HostClient} from "../host-client.ts"
import type {SvcCommand} from "../svc-command.ts"

type JobPage = Answer<"GET", "/api/jobs">

export type JobList = Omit<JobPage, "next">

/** The jobs of a project: from its running Host, or from the file that the next start loads. */
type JobsAccess = ReturnType<typeof ofHost>

export const openJobs = async ({folder, path}: Pick<SvcCommand, "folder" | "path">): Promise<JobsAccess> => {
  const host = await connectUnlessStopped(folder)
  return host === undefined ? ofFile(folder, `svc ${path.join(" ")}`) : ofHost(host)
}

const ofHost = (host: HostClient) => ({
  list: async (): Promise<JobList> => {
    const items: JobView[] = []
    for (let cursor: string | null = "0"; ; ) {
      const page: JobPage = await host.get("/api/jobs", {limit: 500, cursor})
      items.push(...page.items)
      cursor = page.next
      if (cursor === null) return {items, file: page.file}
    }
  },
  show: (id: string) => host.get("/api/jobs/:id", {id}),
  add: (body: Job) => host.post("/api/jobs", {body}),
  edit: (id: string, body: JobChange) => host.post("/api/jobs/:id/edit", {id, body}),
  remove: async (id: string, body: JobRemoval) => void (await host.post("/api/jobs/:id/remove", {id, body})),
  /** Checks a job without storing it. */
  check: (job: unknown, count: number) => host.post("/api/jobs/check", {body: {job, count}}),
  next: (id: string, count: number) => host.get("/api/jobs/:id/next", {id, count}),
})

const ofFile = (project: string, command: string): JobsAccess => {
  const viewOf = (jobs: readonly Job[], id: string) => viewStopped(findJob(jobs, id))
  return {
    list: async () => {
      const items = (await readJobs(project)).map(viewStopped)
      return {
        items: items.sort((one, other) => (one.id < other.id ? -1 : 1)),
        file: {authority: null, sha256: null, refused: null},
      }
    },
    show: async id => viewOf(await readJobs(project), id),
    add: async job => viewOf(await changeJobs(project, command, jobs => addJob(jobs, job)), job.id),
    edit: async (id, change) => viewOf(await changeJobs(project, command, jobs => editJob(jobs, id, change)), id),
    remove: async (id, removal) => void (await changeJobs(project, command, jobs => removeJob(jobs, id, removal))),
    check: async (job, count) => checkStopped(job, count),
    next: async (id, count) => nextStopped(await readJobs(project), id, count),
  }
}
