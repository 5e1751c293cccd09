import {existsSync} from "node:fs"
import type {ProjectConfig} from "../../shared/config/config.ts"
import {epochOf} from "../../shared/event-id.ts"
import {isProblem, Problem} from "../../shared/problems.ts"
import type {FoundDatabase} from "../database/database.ts"
import {schemaVersion} from "../database/migrations/migrate.ts"
import {readRemote} from "../database/remote/remote.ts"
import {withDatabase} from "../database/without-host.ts"
import {requireNotOlder} from "../project/high-water.ts"
import {judgeHolders} from "../project/judge-holders.ts"
import {type FoundState, readHolders} from "../project/one-history.ts"
import {locationOf} from "../project/settings.ts"
import {withLock} from "../runtime/lock.ts"
import type {ProjectPaths} from "../runtime/project.ts"
import {error, type Finding, ok} from "./finding.ts"
import {asDoctor, type HostStatus} from "./state.ts"

const check = "authority"

export interface DatabaseFacts {
  readonly running: HostStatus | "unknown" | undefined
  /** If false, only the other parts are compared: the database's own check reports the damage. */
  readonly isSound: boolean
}

/** Checks that all parts of the state belong to one history. A running Host has compared them at its start. */
export const checkAuthority = async (
  paths: ProjectPaths,
  config: ProjectConfig,
  {running, isSound}: DatabaseFacts,
): Promise<readonly Finding[]> => {
  if (running === "unknown" || running?.provisional !== undefined) return []
  if (running !== undefined) {
    const named = running.authorities.filter(({authority}) => authority !== null).map(({part}) => part)
    return [ok(check, describeParts(running.authority, named))]
  }
  const found = await read(paths, config, isSound).catch((problem: unknown) => {
    if (isProblem(problem, "database_older")) return problem
    throw problem
  })
  if (found instanceof Problem) return [error(check, found.message, found.hint)]
  const {holders} = found
  const problem = judgeHolders(holders)
  // The check of the jobs reports a job file that cannot be read.
  if (problem?.code === "jobs_invalid" && problem.issues.length > 0) return []
  if (problem !== undefined) return [error(check, problem.message, problem.hint)]
  const named = holders.filter(({authority}) => authority !== undefined)
  const authority = named[0]?.authority
  if (authority === undefined) return [ok(check, "none yet; the first start creates one")]
  const parts = named.map(({name}) => name)
  return [ok(check, describeParts(authority, parts))]
}

const describeParts = (authority: string, parts: readonly string[]) =>
  `${authority}, epoch ${epochOf(authority)}, of ${parts.join(", ")}`

const read = async (paths: ProjectPaths, config: ProjectConfig, isSound: boolean): Promise<FoundState> => {
  const location = locationOf(config, paths)
  const without = () => readHolders({paths, config, database: undefined})
  const compare = async (database: FoundDatabase) => {
    const state = await readHolders({paths, config, database})
    await requireNotOlder(database, state.authority, paths)
    return state
  }
  if (!isSound) return without()
  if (location.dialect === "libsql") {
    return readRemote(location, async query => {
      const state = {is: "initialized", schema: await schemaVersion({read: query})} as const
      return compare({read: query, location, state})
    })
  }
  if (!existsSync(location.file)) return without()
  return withLock(paths, asDoctor, () => withDatabase(location, compare))
}
