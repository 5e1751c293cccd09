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
import {hashFile} from "../checkpoint/files.ts"
import {invalidCheckpoint} from "../checkpoint/manifest.ts"
import {noProgress, type Progress} from "../checkpoint/progress.ts"
import type {CheckpointStore, StoredCheckpoint} from "../checkpoint/store.ts"
import {refuseSecrets} from "../verify/refuse-secrets.ts"
import type {SecretValues} from "../verify/search.ts"

/** A checkpoint that came from elsewhere, unpacked beside the project's own and not one of them yet. */
export interface Arrival extends Pick<StoredCheckpoint, "id" | "folder" | "manifest" | "sha256"> {
  /** The folder that its own is in, as a store of one. */
  readonly root: string
  /** Does the project have it already, with the same bytes? */
  readonly isKnown: boolean
  /** Removes it, unless it was stored. */
  drop(): Promise<void>
}

export interface ArrivalOptions {
  /** So many bytes stay free on the disk. */
  readonly spare: number
  /** Of this environment: it is refused where one of them stands in its configuration, lockfile or jobs. */
  readonly secrets: (manifest: Manifest) => SecretValues | Promise<SecretValues>
  readonly progress?: Progress
}

/**
 * Unpacks an archive, or a file of one; only for who holds the project. What a process leaves here that dies, `cleanUp` of the store
 * removes. Throws what `readArchive` throws, `checkpoint_differs` where another checkpoint has its id, and `checkpoint_secret`;
 * nothing of it is left then.
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
 * Puts an arrival among the project's checkpoints, marked as uploaded. Throws `checkpoint_invalid` where its verification found it
 * not fit to restore, and `checkpoint_secret_in_data` where its data holds the value of a secret.
 */
export const storeArrival = async (
  store: CheckpointStore,
  {id, folder, drop}: Arrival,
  verification: Verification,
): Promise<StoredCheckpoint> => {
  if (!verification.ok)
    throw new Problem("checkpoint_invalid", `${id} is not fit to restore: ${verification.findings.join("; ")}`)
  refuseLeaks(id, verification)
  const stored = await store.adopt(id, folder, verification)
  await drop()
  return stored
}

/** Throws `checkpoint_differs`. */
const knows = async (store: CheckpointStore, {id}: Manifest, sha256: string): Promise<boolean> => {
  const there = await store.sealOf(id)
  if (there === undefined) return false
  if (there === sha256) return true
  throw new Problem("checkpoint_differs", `${there === null ? "a damaged checkpoint" : "another checkpoint"} is ${id}`)
}

/** The manifests are equal: so are the checkpoints, where each file is what its manifest says. */
const requireContent = async (folder: string, {id, files}: Manifest): Promise<void> => {
  for (const {path, size, sha256} of files) {
    const found = await hashFile(join(folder, path))
    if (found.size !== size || found.sha256 !== sha256)
      throw invalidCheckpoint(id, `${path} has other content than when it was made`)
  }
}
