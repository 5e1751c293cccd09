import {randomUUID} from "node:crypto"
import {join} from "node:path"
import type {Verification} from "../../../shared/api/checkpoint.ts"
import {isProblem, messageOf, Problem} from "../../../shared/problems.ts"
import type {Location} from "../../database/database.ts"
import {tellsOfFullDisk} from "../../runtime/disk.ts"
import {makePrivateFolder, removeFolder} from "../../runtime/files.ts"
import {noProgress, type Progress} from "../checkpoint/progress.ts"
import type {StoredCheckpoint} from "../checkpoint/store.ts"
import {stageFiles} from "../restore/stage.ts"
import {inspect} from "./inspect.ts"
import type {SecretValues} from "./search.ts"

export interface VerifyOptions {
  /** A folder for the copy, removed again. */
  readonly temporary: string
  readonly secrets: SecretValues
  /** Where a copy of a remote database was restored to. */
  readonly remoteCopy?: Location
  readonly progress?: Progress
}

/**
 * Restores a checkpoint into a scratch folder and says what was found. Rejects only for what the checkpoint is not to
 * blame for: `checkpoint_failed`, as where the disk is full.
 */
export const verifyCheckpoint = async (
  {folder, manifest, sha256}: Pick<StoredCheckpoint, "folder" | "manifest" | "sha256">,
  {temporary, secrets, remoteCopy, progress = noProgress}: VerifyOptions,
): Promise<Verification> => {
  const began = Date.now()
  const scratch = join(temporary, `verify-${randomUUID()}`)
  const names = new Set(manifest.files.map(({path}) => path))
  const path = (name: string) => (names.has(name) ? join(scratch, name) : undefined)
  const result = (findings: readonly string[], warnings: readonly string[]): Verification => ({
    at: new Date().toISOString(),
    ok: findings.length === 0,
    findings: [...findings],
    warnings: [...warnings],
    manifest: sha256,
    seconds: (Date.now() - began) / 1000,
  })
  try {
    await makePrivateFolder(scratch)
    await stageFiles(folder, manifest, name => join(scratch, name), progress)
    const {findings, warnings} = await inspect(
      {manifest, path, secrets, ...(remoteCopy === undefined ? {} : {remoteCopy})},
      progress,
    )
    return result(findings, warnings)
  } catch (cause) {
    if (isProblem(cause, "checkpoint_invalid")) return result([cause.message], [])
    const isFull = tellsOfFullDisk(messageOf(cause))
    throw new Problem("checkpoint_failed", `${manifest.id} could not be verified: ${messageOf(cause)}`, {
      cause,
      ...(isFull ? {hint: `Free space for ${temporary}: a verification takes as much as the checkpoint has.`} : {}),
    })
  } finally {
    await removeFolder(scratch)
  }
}
