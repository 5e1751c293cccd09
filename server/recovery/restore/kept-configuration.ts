import {basename} from "node:path"
import {isThere} from "../../runtime/files.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import {git, gitAgrees} from "../files/git.ts"
import type {RollbackPart} from "./rollback-part.ts"

/** Resolves to an unused name beside the configuration for the replaced one; undefined if a rollback has it in git. */
export const placeForReplaced = async (
  {project, config}: ProjectPaths,
  checkpoint: string,
  rollback: RollbackPart | undefined,
): Promise<string | undefined> => {
  if (rollback !== undefined && (await isCommitted(project, basename(config)))) return undefined
  const first = `${config}.before-${checkpoint}`
  let place = first
  for (let number = 2; await isThere(place); number++) place = `${first}-${number}`
  return place
}

const isCommitted = async (project: string, name: string): Promise<boolean> =>
  (await gitAgrees(project, ["ls-files", "--error-unmatch", "--", name])) &&
  (await git(project, ["status", "--porcelain", "--", name])) === ""

export const isUntracked = async (project: string, name: string): Promise<boolean> =>
  (await git(project, ["ls-files", "--others", "--exclude-standard", "--", name]).catch(() => "")) !== ""
