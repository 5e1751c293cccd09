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
} from "../../../server/offline/job-file.ts"
import type {DraftCheck} from "../../../shared/api/scheduled/drafts.ts"
import type {Job, JobChange, JobFileView, JobRemoval, JobView, NextTimes} from "../../../shared/api/scheduled/jobs.ts"
import {connectUnlessStopped, type HostClient} from "../host-client.ts"
import type {SvcCommand} from "../svc-command.ts"

export interface JobList {
  readonly items: readonly JobView[]
  readonly file: JobFileView
}

/** The jobs of a project: from its running Host, or from the file that the next start loads. */
export interface JobsAccess {
  list(): Promise<JobList>
  show(id: string): Promise<JobView>
  add(job: Job): Promise<JobView>
  edit(id: string, change: JobChange): Promise<JobView>
  remove(id: string, removal?: JobRemoval): Promise<void>
  /** Checks a job without storing it. */
  check(job: unknown, count: number): Promise<DraftCheck>
  next(id: string, count: number): Promise<NextTimes>
}

/** Opens the jobs of a command's project. */
export const openJobs = async ({folder, path}: Pick<SvcCommand, "folder" | "path">): Promise<JobsAccess> => {
  const host = await connectUnlessStopped(folder)
  return host === undefined ? ofFile(folder, `svc ${path.join(" ")}`) : ofHost(host)
}

const ofHost = (host: HostClient): JobsAccess => {
  const at = (id: string) => `/api/jobs/${encodeURIComponent(id)}`
  return {
    list: async () => {
      const items: JobView[] = []
      for (let cursor: string | null = "0"; ; ) {
        const page: JobList & {next: string | null} = await host.get(`/api/jobs?limit=500&cursor=${cursor}`)
        items.push(...page.items)
        cursor = page.next
        if (cursor === null) return {items, file: page.file}
      }
    },
    show: id => host.get(at(id)),
    add: job => host.post("/api/jobs", job),
    edit: (id, change) => host.post(`${at(id)}/edit`, change),
    remove: async (id, removal) => void (await host.post(`${at(id)}/remove`, removal)),
    check: (job, count) => host.post("/api/jobs/check", {job, count}),
    next: (id, count) => host.get(`${at(id)}/next?count=${count}`),
  }
}

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
