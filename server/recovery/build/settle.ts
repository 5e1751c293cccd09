import {join} from "node:path"
import {isThere, makePrivateFolder} from "../../runtime/files.ts"
import {withLock} from "../../runtime/lock.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import {settleRestore} from "../restore/swap.ts"

/** The lock of who tries, keeps or installs a build: one at a time, also beside a running Host. */
export const placeOfTrial = (paths: ProjectPaths): ProjectPaths => ({
  ...paths,
  lock: join(paths.temporary, "release.lock"),
  holder: join(paths.temporary, "release.json"),
})

/** The record of an install stands beside that of a restore: an install is made while a Host runs. */
export const installRecord = (paths: ProjectPaths): ProjectPaths => ({...paths, restore: paths.install})

/**
 * Finishes an install that was cut off after its last change of a name, and takes back any other; waits for one that is
 * under way. Throws `locked` where that takes too long, and `restore_unfinished`.
 */
export const settleInstall = async (
  paths: ProjectPaths,
  command: string,
): Promise<"finished" | "taken back" | undefined> => {
  if (!(await isThere(paths.install))) return undefined
  await makePrivateFolder(paths.temporary)
  return withLock(placeOfTrial(paths), command, () => settleRestore(installRecord(paths)))
}
