import {linkSync, mkdirSync} from "node:fs"
import {readdir, rmdir} from "node:fs/promises"
import {dirname, join} from "node:path"
import type {CheckpointFile, Manifest} from "../../../shared/api/checkpoint.ts"
import type {Fingerprint} from "../../database/upkeep/maintenance.ts"
import {isThere, syncFolder} from "../../runtime/files.ts"
import {Copies} from "../files/copies.ts"
import {hashFile, listTree, type Progress} from "../files/files.ts"
import {refuseSecrets} from "../secrets/refuse-secrets.ts"
import type {SecretValues} from "../secrets/search.ts"
import {manifestName, type Sealed, writeManifest} from "./manifest.ts"

/** A file outside of the database, stored under its SHA-256. */
export interface FileToCopy {
  readonly from: string
  /** The path in the checkpoint. */
  readonly path: string
  readonly sha256: string
}

export interface CompleteRequest {
  /** The checkpoint's folder, with all files that are not among the batches. */
  readonly folder: string
  readonly manifest: Omit<Manifest, "files" | "seal">
  /** The files with known sizes and hashes. */
  readonly known: readonly CheckpointFile[]
  /** The values that the checkpoint must not contain. */
  readonly secrets: SecretValues
}

/**
 * Copies the batches into a checkpoint, then writes its manifest: the checkpoint is complete and durable when this resolves.
 * Throws `checkpoint_secret`, `checkpoint_failed`. For a process that serves nothing else.
 */
export const completeCheckpoint = async (
  {folder, manifest, known, secrets}: CompleteRequest,
  batches: AsyncIterable<readonly FileToCopy[]>,
  progress: Progress,
): Promise<Sealed> => {
  const copied = await copyAll(folder, batches, progress)
  progress("completing the manifest", 0, 0)
  const files = await listFiles(folder, [...known, ...copied])
  await refuseSecrets(folder, files, secrets)
  await syncFolder(folder)
  return writeManifest(folder, {...manifest, files})
}

const copyAll = async (
  folder: string,
  batches: AsyncIterable<readonly FileToCopy[]>,
  progress: Progress,
): Promise<readonly CheckpointFile[]> => {
  const before = (await completeIn(dirname(folder))).filter(each => each !== folder)
  const copies = new Copies({isDurable: true})
  const made = new Set([folder])
  const files: CheckpointFile[] = []
  let done = 0
  for await (const batch of batches) {
    for (const {from, path, sha256} of batch) {
      const to = join(folder, path)
      makeFolders(dirname(to), made)
      const copied = (await share(copies, before, {path, to, sha256})) ?? (await copies.copy(from, to))
      // The verification reports a missing file.
      if (copied !== undefined) files.push({path, ...copied})
      done += copied?.size ?? 0
    }
    progress("copying files", done, 0)
  }
  // No manifest can name the folder of missing files alone.
  for (const each of [...made].slice(1).toReversed()) await rmdir(each).catch(() => {})
  await copies.settle()
  return files
}

/** Resolves to the folders of complete checkpoints, newest first. */
export const completeIn = async (root: string): Promise<readonly string[]> => {
  const found: string[] = []
  for (const each of (await readdir(root).catch(() => [])).sort().reverse())
    if (await isThere(join(root, each, manifestName))) found.push(join(root, each))
  return found
}

/** Never makes a checkpoint's own folder again, which a Host may have removed. The folders are durable with the manifest. */
const makeFolders = (folder: string, made: Set<string>): void => {
  if (made.has(folder)) return
  makeFolders(dirname(folder), made)
  mkdirSync(folder, {mode: 0o700})
  made.add(folder)
}

/** Links an undamaged file of another checkpoint. Resolves to undefined if there is none, or if links are not possible. */
const share = async (
  copies: Copies,
  before: readonly string[],
  {path, to, sha256}: Pick<FileToCopy, "path" | "sha256"> & {readonly to: string},
): Promise<Fingerprint | undefined> => {
  for (const checkpoint of before) {
    const from = join(checkpoint, path)
    try {
      const found = await copies.hash(from)
      if (found?.sha256 !== sha256) continue
      linkSync(from, to)
      return found
    } catch {
      // The next one may do, or the file itself.
    }
  }
  return undefined
}

/** Resolves to all files of the folder, with known sizes and hashes reused. Syncs the folders. */
const listFiles = async (folder: string, known: readonly CheckpointFile[]): Promise<CheckpointFile[]> => {
  const files: CheckpointFile[] = []
  const byPath = new Map(known.map(file => [file.path, file]))
  for (const {path, kind} of await listTree(folder)) {
    if (kind === "folder") await syncFolder(join(folder, path))
    else files.push(byPath.get(path) ?? {path, ...(await hashFile(join(folder, path)))})
  }
  return files
}
