import {createHash} from "node:crypto"
import {type FileHandle, lstat, open, readdir} from "node:fs/promises"
import {join} from "node:path"
import type {Fingerprint} from "../../database/upkeep/maintenance.ts"
import {piecesOf} from "../../outbox/files/folder.ts"
import {ifThere, removeFolder} from "../../runtime/files.ts"

/** Reads a file in pieces. Resolves to its size and SHA-256. Follows no link. Do not use it on the live database. */
export const hashFile = async (path: string): Promise<Fingerprint> => {
  await requirePlain(path)
  return pump(path)
}

/** Copies a file durably into a new file for its owner alone, and hashes it. Do not use it on the live database. */
export const copyFile = async (from: string, to: string): Promise<Fingerprint> => {
  await requirePlain(from)
  const target = await open(to, "wx", 0o600)
  try {
    const copied = await pump(from, target)
    await target.sync()
    return copied
  } finally {
    await target.close()
  }
}

const requirePlain = async (path: string): Promise<void> => {
  if (!(await lstat(path)).isFile()) throw new Error(`${path} is not a plain file`)
}

const pump = async (source: string, target?: FileHandle): Promise<Fingerprint> => {
  const sum = createHash("sha256")
  let size = 0
  for await (const bytes of piecesOf(source)) {
    sum.update(bytes)
    size += bytes.length
    await target?.writeFile(bytes)
  }
  return {size, sha256: sum.digest("hex")}
}

export interface Entry {
  /** A relative path with slashes. */
  readonly path: string
  readonly kind: "file" | "folder" | "other"
}

/** Resolves to all entries below a folder, without following links; none if the folder does not exist. */
export const listTree = async (folder: string, prefix = ""): Promise<readonly Entry[]> => {
  const found = (await ifThere(readdir(folder, {withFileTypes: true}))) ?? []
  const entries: Entry[] = []
  for (const each of found.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = `${prefix}${each.name}`
    entries.push({path, kind: each.isFile() ? "file" : each.isDirectory() ? "folder" : "other"})
    if (each.isDirectory()) entries.push(...(await listTree(join(folder, each.name), `${path}/`)))
  }
  return entries
}

/** Removes a folder, one subfolder after the other: Node keeps all other work on files waiting for one with many files. */
export const removeTree = async (folder: string): Promise<void> => {
  const folders = (await listTree(folder)).filter(({kind}) => kind === "folder")
  for (const {path} of folders.toReversed()) await removeFolder(join(folder, path))
  await removeFolder(folder)
}

/** Called with the progress of long work: the step, and its done and total bytes. A total of 0 means unknown. */
export type Progress = (step: string, done: number, total: number) => void

export const noProgress: Progress = () => {}
