import type {DefaultSchedule, JobDefinition, JobHandler} from "../../../shared/sdk/plugin/job.ts"
import type {Declared} from "../../messages/forms/declared.ts"
import type {Handler} from "../../messages/session/handler.ts"
import {misfitOf} from "../../runtime/text/explain.ts"
import type {Setup} from "./kind.ts"
import {named} from "./named.ts"

type DeclaredJob = Declared<JobDefinition, JobHandler<never>>

export type PublishedJob = Handler & DeclaredJob

/** How long a run of a job may take, in seconds. */
const longestRun = 24 * 60 * 60

const requireJob = (what: string, {timeout = 1, schedule, data}: JobDefinition): void => {
  if (schedule !== undefined && (typeof schedule !== "object" || schedule === null))
    throw new TypeError(`${what}: schedule must be {cron, timezone} or {every, timezone}`)
  if (!(timeout > 0 && timeout <= longestRun)) throw new Error(`${what}: timeout must be seconds, at most a day`)
  const wrong = schedule === undefined ? undefined : misfitOf("schedule.data", data, schedule.data)
  if (wrong !== undefined) throw new Error(`${what}: ${wrong}`)
}

export const jobs = (setup: Setup) => {
  const {declare, ...all} = named<JobDefinition, DeclaredJob["handle"], [string, PublishedJob]>(setup, "job", {
    check: requireJob,
    needs: "a function",
    publish: (job, at, name) => [`${at.owner.name}/${name}`, {...at.handler(job.id), ...job}],
  })
  return {...all, methods: {job: declare}}
}

export interface JobDefault {
  readonly plugin: string
  readonly name: string
  readonly schedule: DefaultSchedule
}

/** Returns the default schedules that a plugin declares with `plugin.job(name, {schedule})`. */
export const jobDefaultsOf = ({name: plugin, registrations}: Declaring): readonly JobDefault[] =>
  [...registrations.jobs].flatMap(([name, {definition}]) =>
    definition.schedule === undefined ? [] : [{plugin, name, schedule: definition.schedule}],
  )

interface Declaring {
  readonly name: string
  readonly registrations: {readonly jobs: ReadonlyMap<string, Pick<DeclaredJob, "definition">>}
}
