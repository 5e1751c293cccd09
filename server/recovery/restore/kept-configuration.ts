import {basename} from "node:path"
import {isThere} from "../../runtime/files.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import {git, gitAgrees} from "./git.ts"
import type {RollbackPart} from "./rollback-part.ts"

/**
 * A free name beside the configuration for the one that the restore of a checkpoint replaces; undefined for a rollback
 * where git has it: the work tree is clean then.
 */
export const placeForReplaced = async (
  {project, config}: ProjectPaths,
  checkpoint: string,
  rollback: RollbackPart | undefined,
): Promise<string | undefined> => {
  const tracked = ["ls-files", "--error-unmatch", "--", basename(config)]
  if (rollback !== undefined && (await gitAgrees(project, tracked))) return undefined
  const first = `${config}.before-${checkpoint}`
  let place = first
  for (let number = 2; await isThere(place); number++) place = `${first}-${number}`
  return place
}

/** Would git show a file of the project as one to commit? */
export const isUntracked = (project: string, name: string): Promise<boolean> =>
  git(project, ["ls-files", "--others", "--exclude-standard", "--", name]).then(
    text => text !== "",
    () => false,
  )
