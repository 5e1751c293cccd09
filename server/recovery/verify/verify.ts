import {randomUUID} from "node:crypto"
import {join} from "node:path"
import type {Verification} from "../../../shared/api/checkpoint.ts"
import {isProblem, messageOf, Problem} from "../../../shared/problems.ts"
import type {Location} from "../../database/database.ts"
import {makePrivateFolder, removeFolder, tellsOfFullDisk} from "../../runtime/files.ts"
import {stageFiles} from "../checkpoint/stage.ts"
import type {StoredCheckpoint} from "../checkpoint/store.ts"
import {noProgress, type Progress} from "../files/files.ts"
import {isMessageFile} from "../parts/files.ts"
import type {SecretValues} from "../secrets/search.ts"
import {inspect} from "./inspect.ts"

export interface VerifyRequest {
  /** The folder of all checkpoints. */
  readonly root: string
  readonly id: string
  readonly temporary: string
  readonly secrets: SecretValues
}

export interface VerifyOptions {
  /** A folder for the copy, which is deleted afterwards. */
  readonly temporary: string
  readonly secrets: SecretValues
  /** The location of a remote database's restored copy. */
  readonly remoteCopy?: Location
  readonly progress?: Progress
}

/**
 * Restores a checkpoint into a scratch folder, except the files of messages, which it reads in place. Resolves to its faults. Throws `checkpoint_failed` only for reasons outside of
 * the checkpoint, such as a full disk.
 */
export const verifyCheckpoint = async (
  {folder, manifest, sha256}: Pick<StoredCheckpoint, "folder" | "manifest" | "sha256">,
  {temporary, secrets, remoteCopy, progress = noProgress}: VerifyOptions,
): Promise<Verification> => {
  const began = Date.now()
  const scratch = join(temporary, `verify-${randomUUID()}`)
  const names = new Set(manifest.files.map(({path}) => path))
  const placed = (name: string) => (isMessageFile(name) ? undefined : join(scratch, name))
  const path = (name: string) => (names.has(name) ? (placed(name) ?? join(folder, name)) : undefined)
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
    await stageFiles(folder, manifest, {place: placed, isDurable: false, progress})
    const {findings, warnings} = await inspect(
      {manifest, path, secrets, ...(remoteCopy === undefined ? {} : {remoteCopy})},
      progress,
    )
    return result(findings, warnings)
  } catch (cause) {
    if (isProblem(cause, "checkpoint_invalid")) return result([cause.message], [])
    const isFull = tellsOfFullDisk(messageOf(cause))
    throw new Problem("checkpoint_failed", `could not verify ${manifest.id}: ${messageOf(cause)}`, {
      cause,
      ...(isFull
        ? {hint: `Free space for ${temporary}: a verification needs as much as the size of the checkpoint.`}
        : {}),
    })
  } finally {
    await removeFolder(scratch)
  }
}
