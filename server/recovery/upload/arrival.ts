import {randomUUID} from "node:crypto"
import {rename} from "node:fs/promises"
import {join} from "node:path"
import type {Readable} from "node:stream"
import type {Manifest, Verification} from "../../../shared/api/checkpoint.ts"
import {Problem} from "../../../shared/problems.ts"
import {makePrivateFolder, removeFolder} from "../../runtime/files.ts"
import {limits} from "../../runtime/runtime.ts"
import {readArchive, refuseLeaks} from "../checkpoint/archive.ts"
import {archiveLimits} from "../checkpoint/archive-source.ts"
import {invalidCheckpoint} from "../checkpoint/manifest.ts"
import type {CheckpointStore, StoredCheckpoint} from "../checkpoint/store.ts"
import {hashFile, noProgress, type Progress} from "../files/files.ts"
import {refuseSecrets} from "../secrets/refuse-secrets.ts"
import type {SecretValues} from "../secrets/search.ts"

/** An unpacked checkpoint from elsewhere that is not stored yet. */
export interface Arrival extends Pick<StoredCheckpoint, "id" | "folder" | "manifest" | "sha256"> {
  /** The parent of its folder, which is a store with one checkpoint. */
  readonly root: string
  /** Whether the project already has it, with the same bytes. */
  readonly isKnown: boolean
  /** Deletes it, unless it was stored. */
  drop(): Promise<void>
}

export interface ArrivalOptions {
  /** How many bytes must stay free on the disk. */
  readonly spare: number
  /** Returns the secrets of this environment; the checkpoint is refused if its configuration, lockfile or jobs contain one. */
  readonly secrets: (manifest: Manifest) => SecretValues | Promise<SecretValues>
  readonly progress?: Progress
}

/**
 * Unpacks an archive; only for the holder of the project. The store's `cleanUp` deletes the leftovers of a dead process. Throws
 * the problems of `readArchive`, `checkpoint_differs` if another checkpoint has its id, and `checkpoint_secret`; then it
 * leaves nothing behind.
 */
export const unpackArrival = async (
  store: CheckpointStore,
  input: string | Readable,
  {spare, secrets, progress = noProgress}: ArrivalOptions,
): Promise<Arrival> => {
  await makePrivateFolder(store.root)
  const root = join(store.root, `.${randomUUID()}.tmp`)
  const drop = () => removeFolder(root)
  try {
    await makePrivateFolder(root)
    const unpacked = join(root, "archive")
    const bounds = {...archiveLimits, bytes: limits.checkpoint, spare, copies: 2}
    const {manifest, sha256} = await readArchive(input, unpacked, progress, bounds)
    const folder = join(root, manifest.id)
    await rename(unpacked, folder)
    await refuseSecrets(folder, manifest.files, await secrets(manifest))
    const isKnown = await knows(store, manifest, sha256)
    if (isKnown) await requireContent(folder, manifest)
    return {id: manifest.id, root, folder, manifest, sha256, isKnown, drop}
  } catch (cause) {
    await drop()
    throw cause
  }
}

/**
 * Adds an arrival to the project's checkpoints, marked as uploaded. Throws `checkpoint_invalid` if its verification failed, and
 * `checkpoint_secret_in_data` if its data contains the value of a secret.
 */
export const storeArrival = async (
  store: CheckpointStore,
  {id, folder, drop}: Arrival,
  verification: Verification,
): Promise<StoredCheckpoint> => {
  if (!verification.ok)
    throw new Problem("checkpoint_invalid", `${id} cannot be restored: ${verification.findings.join("; ")}`)
  refuseLeaks(id, verification)
  const stored = await store.adopt(id, folder, verification)
  await drop()
  return stored
}

/** Resolves to whether the project has the same checkpoint. Throws `checkpoint_differs` if another one has its id. */
const knows = async (store: CheckpointStore, {id}: Manifest, sha256: string): Promise<boolean> => {
  const there = await store.sealOf(id)
  if (there === undefined) return false
  if (there === sha256) return true
  throw new Problem(
    "checkpoint_differs",
    `${there === null ? "a damaged checkpoint" : "another checkpoint"} has the id ${id}`,
  )
}

/** Throws unless each file matches the manifest, so that equal manifests mean equal checkpoints. */
const requireContent = async (folder: string, {id, files}: Manifest): Promise<void> => {
  for (const {path, size, sha256} of files) {
    const found = await hashFile(join(folder, path))
    if (found.size !== size || found.sha256 !== sha256)
      throw invalidCheckpoint(id, `the content of ${path} has changed`)
  }
}
