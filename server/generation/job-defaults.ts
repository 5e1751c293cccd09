import type {Issue} from "../../shared/problems.ts"
import type {DefaultSchedule} from "../../shared/sdk/plugin/job.ts"
import type {LoadedConfig} from "../config/load.ts"
import type {Instance} from "../plugins/instance.ts"

export interface JobDefault {
  readonly plugin: string
  readonly name: string
  readonly schedule: DefaultSchedule
}

/** Returns the default schedules that an instance declares with `plugin.job(name, {schedule})`. */
export const jobDefaultsOf = ({name: plugin, registrations}: Instance): readonly JobDefault[] =>
  [...registrations.jobs].flatMap(([name, {definition}]) =>
    definition.schedule === undefined ? [] : [{plugin, name, schedule: definition.schedule}],
  )

/** Returns the invalid defaults, each at its plugin. */
export const jobDefaultIssues = (
  loaded: LoadedConfig,
  instances: readonly Instance[],
  problemOf: (declared: JobDefault) => string | undefined,
): readonly Issue[] =>
  instances.flatMap(jobDefaultsOf).flatMap(declared => {
    const problem = problemOf(declared)
    if (problem === undefined) return []
    return [loaded.source.issue(["plugins", declared.plugin], `job("${declared.name}"): ${problem}`, "key")]
  })
