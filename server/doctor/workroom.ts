import {existsSync} from "node:fs"
import type {ProjectConfig} from "../../shared/config.ts"
import {withLock} from "../runtime/lock.ts"
import type {ProjectPaths} from "../runtime/project.ts"
import {verifyFiles} from "../workroom/rebuild.ts"
import {error, type Finding, ok} from "./finding.ts"
import {asDoctor, problemOf} from "./state.ts"

const check = "workroom"

/**
 * Checks the files of a workroom that no Host has open: the Journal is complete, and the Catalog matches it. Checks nothing
 * for tables, which belong to the database's check, nor if a Host runs: it checked the files at its start.
 */
export const checkWorkroom = async (
  paths: ProjectPaths,
  {workroom}: ProjectConfig,
  isRunning: boolean,
): Promise<readonly Finding[]> => {
  if (isRunning || workroom.store !== "file") return []
  if (!existsSync(paths.state)) return [unmade]
  return [
    await withLock(paths, asDoctor, () => examine(paths)).catch((cause: unknown) => {
      const {message, hint} = problemOf(cause)
      return error(check, message, hint)
    }),
  ]
}

const unmade = ok(check, "the first start will create its files")

const examine = async (paths: ProjectPaths): Promise<Finding> => {
  const found = await verifyFiles(paths.state)
  if (found === undefined) return unmade
  const torn = found.torn === 0 ? "" : `; the next start removes ${found.torn} unacknowledged bytes`
  return ok(check, `file store, sound up to record ${found.seq}${torn}`)
}
