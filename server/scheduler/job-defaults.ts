import type {Job} from "../../shared/api/scheduled/jobs.ts"
import {omitUndefined} from "../../shared/json.ts"
import {messageOf} from "../../shared/problems.ts"
import {longestKept, readJson} from "../../shared/sdk/session/values.ts"
import type {Database, Reader} from "../database/database.ts"
import {addMeta, readMetaKeys} from "../database/state/meta.ts"
import type {JobDefault} from "../generation/kinds/job.ts"
import {requireValidJob} from "./job-file/job-findings.ts"

/** The key in `svc_meta` that records that this default was written to the job file. Older builds ignore such keys. */
const keyOf = ({plugin, name}: JobDefault): string => `jobs.declared.${plugin}/${name}`

/** Returns whether a job of the file calls this job of a plugin. */
export const calls = ({target}: Job, {plugin, name}: Pick<JobDefault, "plugin" | "name">): boolean =>
  target.plugin === plugin && target.job === name

/** Returns why a default is not a valid job; undefined if it is. */
export const jobDefaultProblem = (declared: JobDefault): string | undefined => {
  try {
    const {data} = declared.schedule
    const size = data === undefined ? 0 : readJson("schedule.data", data, "request_invalid").length
    if (size > longestKept) return `schedule.data: it has more than ${longestKept} characters as JSON`
    requireValidJob(jobOf(declared, []))
    return "at" in declared.schedule ? "schedule.at: a default must recur, with cron or every" : undefined
  } catch (error) {
    return messageOf(error)
  }
}

/** Returns the jobs, and jobs for the defaults that none of them calls. */
export const withDefaults = (jobs: readonly Job[], defaults: readonly JobDefault[]): readonly Job[] => {
  const all = [...jobs]
  for (const declared of defaults) if (!all.some(job => calls(job, declared))) all.push(jobOf(declared, all))
  return all
}

/** Returns the defaults that were never written to the file. */
export const newDefaults = async (
  database: Reader,
  defaults: readonly JobDefault[],
): Promise<readonly JobDefault[]> => {
  if (defaults.length === 0) return []
  const known = await readMetaKeys(database, "jobs.declared.")
  return defaults.filter(declared => !known.has(keyOf(declared)))
}

/** Records that these defaults were written. From then on the operator's changes stay. */
export const recordDefaults = async (
  database: Pick<Database, "write">,
  defaults: readonly JobDefault[],
): Promise<void> => {
  await database.write(defaults.map(declared => addMeta(keyOf(declared), "1")))
}

/** Characters that an id in the job file cannot contain, and the longest id. */
const foreign = /[^a-z0-9._-]/g
const longestId = 60

const jobOf = ({plugin, name, schedule}: JobDefault, jobs: readonly Job[]): Job => {
  const {timezone, data, missed, overlap, jitter, ...when} = schedule
  const base = `${plugin}.${name}`.toLowerCase().replace(foreign, "-").slice(0, longestId)
  const taken = (id: string) => jobs.some(job => job.id === id)
  let id = base
  for (let number = 2; taken(id); number++) id = `${base}-${number}`
  return {
    id,
    schedule: when,
    timezone,
    target: {plugin, job: name, ...(data === undefined ? {} : {data})},
    ...omitUndefined({missed, overlap, jitter}),
  }
}
