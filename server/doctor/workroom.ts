import type {ProjectConfig} from "../../shared/config.ts"
import {readAuthorityFile} from "../database/authority.ts"
import {withLock} from "../runtime/lock.ts"
import type {ProjectPaths} from "../runtime/project.ts"
import {verifyFiles} from "../workroom/rebuild.ts"
import {error, type Finding, ok} from "./finding.ts"
import {asDoctor, problemOf} from "./state.ts"

const check = "workroom"

/**
 * The files of a workroom that no Host has open: the Journal is whole, the Catalog is what it makes of it, and both have the
 * project's authority. Nothing for tables, which the database's check is about, and where a Host runs: it checked them at its start.
 */
export const checkWorkroom = async (
  paths: ProjectPaths,
  {workroom}: ProjectConfig,
  isRunning: boolean,
): Promise<readonly Finding[]> => {
  if (isRunning || workroom.store !== "file") return []
  return [
    await withLock(paths, asDoctor, () => examine(paths)).catch((cause: unknown) => {
      const {message, hint} = problemOf(cause)
      return error(check, message, hint)
    }),
  ]
}

const examine = async (paths: ProjectPaths): Promise<Finding> => {
  const found = await verifyFiles(paths.state)
  if (found === undefined) return ok(check, "its files will be made at the first start")
  const authority = (await readAuthorityFile(paths.authority))?.authority
  if (found.authority !== authority) {
    const detail = `its files have the authority ${found.authority}, ${paths.authority} names ${authority}: they belong to two histories`
    return error(check, detail, "Restore both from one backup.")
  }
  const torn = found.torn === 0 ? "" : `; the next start cuts ${found.torn} bytes that were not acknowledged`
  return ok(check, `file store, sound up to record ${found.seq}${torn}`)
}
