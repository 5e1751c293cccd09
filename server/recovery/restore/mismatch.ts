import {dirname, resolve} from "node:path"
import {Problem} from "../../../shared/problems.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import type {StoredCheckpoint} from "../checkpoint/store.ts"
import {deploymentOf} from "./deployment.ts"
import {git} from "./git.ts"

type Checkpoint = Pick<StoredCheckpoint, "folder" | "manifest">

interface Request {
  readonly paths: ProjectPaths
  readonly dataOnly?: boolean
  readonly withPackages?: boolean
  readonly rollback?: object
}

/**
 * Throws `restore_mismatch` where a restore would put packages or configuration under code that they do not belong to,
 * unless it was asked to, or the code goes back too.
 */
export const requireUnmixed = async (
  checkpoint: Checkpoint,
  {mismatches}: {readonly mismatches: readonly string[]},
  {paths, dataOnly = false, withPackages = false, rollback}: Request,
): Promise<void> => {
  if (mismatches.length === 0 || dataOnly || withPackages || rollback !== undefined) return
  const {id} = checkpoint.manifest
  throw new Problem(
    "restore_mismatch",
    [`the project has other code or packages than ${id}; nothing was changed`, ...mismatches].join("\n  "),
    {
      hint: `${await wayBack(checkpoint, paths)}. --data-only restores the data alone, for the code that is here. --with-packages also restores package.json, lockfile and configuration, and leaves the code as it is.`,
    },
  )
}

/** How code and data get back together, or why `svc rollback` cannot do it here. */
const wayBack = async ({folder, manifest}: Checkpoint, {project, checkpoints}: ProjectPaths): Promise<string> => {
  const {id, code} = manifest
  const isWorkTree = await git(project, ["rev-parse", "--is-inside-work-tree"]).then(
    text => text === "true",
    () => false,
  )
  if (!isWorkTree && code.image !== null)
    return `Deploy ${deploymentOf(code)}, then restore; svc rollback needs a git work tree`
  if (!isWorkTree) return "Put the code of the checkpoint here, then restore; svc rollback needs a git work tree"
  if (code.commit === null || code.clean === false)
    return `svc rollback needs a checkpoint of a commit, and ${id} was made of ${code.commit === null ? "none" : "changes that were not committed"}`
  if (dirname(resolve(folder)) !== checkpoints)
    return `git checkout --detach ${code.commit}, then restore; svc rollback needs a checkpoint in .svc/checkpoints`
  return `svc rollback ${id} takes code, packages, configuration and data back together`
}
