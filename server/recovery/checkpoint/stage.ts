import {dirname, join} from "node:path"
import type {Manifest} from "../../../shared/api/checkpoint.ts"
import {messageOf} from "../../../shared/problems.ts"
import {makeFolder, syncFolder} from "../../runtime/files.ts"
import {Copies} from "../files/copies.ts"
import {listTree, type Progress} from "../files/files.ts"
import {invalidCheckpoint, manifestName, sizeOf} from "./manifest.ts"

/** Throws `checkpoint_invalid` about `where` unless a folder has exactly its manifest's files, and no links. */
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

export interface StageOptions {
  /** Returns the path of a file's copy; undefined for a file that is only compared. */
  readonly place: (path: string) => string | undefined
  /** False if the copies need not survive a power cut. */
  readonly isDurable: boolean
  readonly progress: Progress
}

/** Copies a checkpoint's files, and compares each with the manifest. Throws `checkpoint_invalid`. */
export const stageFiles = async (
  folder: string,
  manifest: Manifest,
  {place, isDurable, progress}: StageOptions,
): Promise<void> => {
  await requireSameFiles(folder, manifest)
  const total = sizeOf(manifest)
  let done = 0
  const folders = new Set<string>()
  const copies = new Copies({isDurable})
  for (const {path, size, sha256} of manifest.files) {
    const from = join(folder, path)
    const to = place(path)
    if (to !== undefined && !folders.has(dirname(to))) {
      await makeFolder(dirname(to), 0o700)
      folders.add(dirname(to))
    }
    const onBytes = (count: number) => {
      done += count
      progress("copying and comparing", done, total)
    }
    const read = to === undefined ? copies.hash(from, onBytes) : copies.copy(from, to, onBytes)
    const found = await read.catch(cause => {
      throw isReadError(cause) ? invalidCheckpoint(folder, `${path}: ${messageOf(cause)}`) : cause
    })
    if (found?.size !== size) throw invalidCheckpoint(folder, `${path} has ${found?.size} bytes, not ${size}`)
    if (found.sha256 !== sha256) throw invalidCheckpoint(folder, `the content of ${path} has changed`)
  }
  await copies.settle()
  if (isDurable) for (const each of folders) await syncFolder(each)
}

const isReadError = (cause: unknown) => cause instanceof Error && "code" in cause && cause.code === "EIO"
