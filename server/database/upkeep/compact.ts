import {existsSync, rmSync, statSync} from "node:fs"
import {rename, rm, stat} from "node:fs/promises"
import {dirname} from "node:path"
import {messageOf, Problem} from "../../../shared/problems.ts"
import {freeSpace, ifThere, syncFolder} from "../../runtime/files.ts"
import {inspectFile, rewriteFile} from "./maintenance.ts"

/** Sizes in bytes. */
interface Storage {
  readonly file: number
  /** The write-ahead log beside the file. */
  readonly log: number
  readonly free: number
}

/** Returns the space that a database file takes. Never opens the file: closing it would drop SQLite's locks on it. */
export const readStorage = async (file: string): Promise<Storage> => {
  const [own, log, free] = await Promise.all([sizeOf(file), sizeOf(`${file}-wal`), freeSpace(dirname(file))])
  return {file: own, log, free}
}

const sizeOf = async (path: string): Promise<number> => (await ifThere(stat(path)))?.size ?? 0

const besideOf = (file: string) => `${file}.compact`

/** Removes what an interrupted compaction left behind. Call it with the project's lock held. */
export const removeUnfinished = (file: string): void => {
  const left = ["", ".partial", ".partial-journal"].map(end => `${besideOf(file)}${end}`)
  for (const path of left) if (existsSync(path)) rmSync(path, {force: true})
}

/** Throws `compact_no_space` if the disk cannot hold the database twice. */
const requireSpace = async (file: string): Promise<void> => {
  const {file: size, log, free} = await readStorage(file)
  if (free < size + log)
    throw new Problem("compact_no_space", `compacting ${file} may need ${size + log} bytes; only ${free} are free`)
}

/**
 * Rewrites a database that no process has open, and replaces the old file by one rename. After a kill at any
 * instruction, the file is completely the old one or completely the new one, and both contain the same data. Throws
 * `compact_no_space`, `database_failed`. Call it with the project's lock held, in a process that has not opened the
 * file.
 */
export const compactFile = async (file: string): Promise<void> => {
  await requireSpace(file)
  removeUnfinished(file)
  const beside = besideOf(file)
  try {
    await rewriteFile(file, beside)
    const {findings} = await inspectFile(beside)
    if (findings.length > 0) throw new Error(`the new file is damaged: ${findings.join("; ")}`)
    // SQLite must never take the old file's log for the log of the new file.
    if ((statSync(`${file}-wal`, {throwIfNoEntry: false})?.size ?? 0) > 0)
      throw new Error("another process writes to it")
    for (const end of ["-wal", "-shm"]) await rm(`${file}${end}`, {force: true})
    await rename(beside, file)
    await syncFolder(dirname(file))
  } catch (cause) {
    removeUnfinished(file)
    if (cause instanceof Problem) throw cause
    throw new Problem("database_failed", `${file} was not compacted and is unchanged: ${messageOf(cause)}`, {cause})
  } finally {
    for (const end of ["-wal", "-shm"]) if (existsSync(`${beside}${end}`)) rmSync(`${beside}${end}`)
  }
}
