import {capabilityId, type PluginPath} from "../../../shared/ids.ts"
import type {JobDefinition} from "../../../shared/sdk/plugin/job.ts"
import {misfitOf} from "../../runtime/text/explain.ts"
import {isHandler, longestRun, requireName} from "./checks.ts"
import type {DeclaredJob} from "./declared.ts"

/** Reads a `plugin.job` declaration, with or without a definition. Throws if it is invalid. */
export const readJob = (owner: PluginPath, name: string, second: unknown, third?: unknown): DeclaredJob => {
  const what = `job("${name}")`
  const [definition, handle] = third === undefined ? [{}, second] : [second as JobDefinition, third]
  if (!isHandler<DeclaredJob["handle"]>(handle)) throw new TypeError(`${what} needs a function`)
  requireName(what, name)
  const {timeout = 1, schedule, data} = definition
  if (schedule !== undefined && (typeof schedule !== "object" || schedule === null))
    throw new TypeError(`${what}: schedule must be {cron, timezone} or {every, timezone}`)
  if (!(timeout > 0 && timeout <= longestRun)) throw new Error(`${what}: timeout must be seconds, at most a day`)
  const wrong = schedule === undefined ? undefined : misfitOf("schedule.data", data, schedule.data)
  if (wrong !== undefined) throw new Error(`${what}: ${wrong}`)
  return {id: capabilityId(owner, "job", name), definition, handle}
}
