import {dirname, resolve} from "node:path"
import {Problem} from "../../../shared/problems.ts"
import type {ProjectPaths} from "../../runtime/project.ts"
import type {StoredCheckpoint} from "../checkpoint/store.ts"
import {git} from "../files/git.ts"
import {deploymentOf} from "./deployment.ts"

export type Checkpoint = Pick<StoredCheckpoint, "folder" | "manifest">

interface Request {
  readonly paths: ProjectPaths
  readonly dataOnly?: boolean
  readonly withPackages?: boolean
  readonly rollback?: object
}

/** Throws `restore_mismatch` if packages or configuration would not belong to the code, unless an option allows it. */
export const requireUnmixed = async (
  checkpoint: Checkpoint,
  {mismatches}: {readonly mismatches: readonly string[]},
  {paths, dataOnly = false, withPackages = false, rollback}: Request,
): Promise<void> => {
  if (mismatches.length === 0 || dataOnly || withPackages || rollback !== undefined) return
  const {id} = checkpoint.manifest
  throw new Problem(
    "restore_mismatch",
    [`the code or packages of the project differ from ${id}; nothing was changed`, ...mismatches].join("\n  "),
    {
      hint: `${await wayBack(checkpoint, paths)}. --data-only restores only the data and keeps the present code. --with-packages also restores package.json, lockfile and configuration, and leaves the code as it is.`,
    },
  )
}

/** Resolves to the command that restores code and data together, or to why `svc rollback` cannot do it here. */
const wayBack = async ({folder, manifest}: Checkpoint, {project, checkpoints}: ProjectPaths): Promise<string> => {
  const {id, code} = manifest
  const isWorkTree = (await git(project, ["rev-parse", "--is-inside-work-tree"]).catch(() => "")) === "true"
  if (!isWorkTree && code.image !== null)
    return `Deploy ${deploymentOf(code)}, then restore; svc rollback needs a git work tree`
  if (!isWorkTree)
    return "Copy the code of the checkpoint into this folder, then restore; svc rollback needs a git work tree"
  if (code.commit === null || code.clean === false)
    return `svc rollback needs a checkpoint of a commit, but ${id} has ${code.commit === null ? "none" : "code that its commit lacks"}`
  if (dirname(resolve(folder)) !== checkpoints)
    return `git checkout --detach ${code.commit}, then restore; svc rollback needs a checkpoint in .svc/checkpoints`
  return `svc rollback ${id} rolls back code, packages, configuration and data together`
}
