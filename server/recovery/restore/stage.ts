import {dirname, join} from "node:path"
import type {Manifest} from "../../../shared/api/checkpoint.ts"
import {messageOf} from "../../../shared/problems.ts"
import {makeFolder, syncFolder} from "../../runtime/files.ts"
import {copyFile, listTree} from "../checkpoint/files.ts"
import {invalidCheckpoint, manifestName} from "../checkpoint/manifest.ts"
import type {Progress} from "../checkpoint/progress.ts"
import {sizeOf} from "../checkpoint/store.ts"

/**
 * Throws `checkpoint_invalid`, which calls the checkpoint `where`, unless a folder has exactly the files that its manifest
 * names, and no links.
 */
export const requireSameFiles = async (folder: string, {files}: Manifest, where = folder): Promise<void> => {
  const entries = await listTree(folder)
  const named = new Set([manifestName, ...files.map(({path}) => path)])
  const folders = new Set(files.flatMap(({path}) => parentsOf(path)))
  for (const {path, kind} of entries) {
    if (kind === "other") throw invalidCheckpoint(where, `${path} is not a plain file`)
    if (kind === "file" ? !named.has(path) : !folders.has(path))
      throw invalidCheckpoint(where, `${path} is not in its manifest`)
  }
  const found = new Set(entries.filter(({kind}) => kind === "file").map(({path}) => path))
  const missing = files.find(({path}) => !found.has(path))
  if (missing !== undefined) throw invalidCheckpoint(where, `${missing.path} is missing`)
}

const parentsOf = (path: string): string[] => {
  const parts = path.split("/").slice(0, -1)
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"))
}

/**
 * Copies a checkpoint's files durably to the paths that `place` returns, and compares each with the manifest. Throws
 * `checkpoint_invalid`.
 */
export const stageFiles = async (
  folder: string,
  manifest: Manifest,
  place: (path: string) => string,
  progress: Progress,
): Promise<void> => {
  await requireSameFiles(folder, manifest)
  const total = sizeOf(manifest)
  let done = 0
  const folders = new Set<string>()
  for (const {path, size, sha256} of manifest.files) {
    const target = place(path)
    await makeFolder(dirname(target), 0o700)
    folders.add(dirname(target))
    const copied = await copyFile(join(folder, path), target, count => {
      done += count
      progress("copying and comparing", done, total)
    }).catch(cause => {
      throw isReadError(cause) ? invalidCheckpoint(folder, `${path}: ${messageOf(cause)}`) : cause
    })
    if (copied.size !== size) throw invalidCheckpoint(folder, `${path} has ${copied.size} bytes, not ${size}`)
    if (copied.sha256 !== sha256) throw invalidCheckpoint(folder, `the content of ${path} has changed`)
  }
  for (const each of folders) await syncFolder(each)
}

const isReadError = (cause: unknown) => cause instanceof Error && "code" in cause && cause.code === "EIO"
