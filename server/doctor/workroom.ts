import {existsSync} from "node:fs"
import type {ProjectConfig} from "../../shared/config.ts"
import {withLock} from "../runtime/lock.ts"
import type {ProjectPaths} from "../runtime/project.ts"
import {verifyFiles} from "../workroom/rebuild.ts"
import {error, type Finding, ok} from "./finding.ts"
import {asDoctor, problemOf} from "./state.ts"

const check = "workroom"

/**
 * The files of a workroom that no Host has open: the Journal is whole, and the Catalog is what it makes of it. Nothing for tables, which the database's check is about, and where a Host runs: it checked them at its start.
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

const unmade = ok(check, "its files will be made at the first start")

const examine = async (paths: ProjectPaths): Promise<Finding> => {
  const found = await verifyFiles(paths.state)
  if (found === undefined) return unmade
  const torn = found.torn === 0 ? "" : `; the next start cuts ${found.torn} bytes that were not acknowledged`
  return ok(check, `file store, sound up to record ${found.seq}${torn}`)
}
