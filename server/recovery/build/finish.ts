import {join} from "node:path"
import {isThere, makePrivateFolder} from "../../runtime/files.ts"
import {withLock} from "../../runtime/lock.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import {finishRestore} from "../restore/swap.ts"

/** Returns the lock for trying, keeping or installing a build: one process at a time, also beside a running Host. */
export const placeOfTrial = (paths: ProjectPaths): ProjectPaths => ({
  ...paths,
  lock: join(paths.temporary, "release.lock"),
  holder: join(paths.temporary, "release.json"),
})

/** Returns the place of an install's record. It differs from that of a restore, because a Host may run during an install. */
export const installRecord = (paths: ProjectPaths): ProjectPaths => ({...paths, restore: paths.install})

/**
 * Completes an install that was interrupted after its last rename, and undoes any other. Waits for a running install. Throws
 * `locked` if that takes too long, and `restore_unfinished`.
 */
export const finishInstall = async (
  paths: ProjectPaths,
  command: string,
): Promise<"finished" | "undone" | undefined> => {
  if (!(await isThere(paths.install))) return undefined
  await makePrivateFolder(paths.temporary)
  return withLock(placeOfTrial(paths), command, () => finishRestore(installRecord(paths)))
}
