import {existsSync, rmSync, statSync} from "node:fs"
import {rename, rm} from "node:fs/promises"
import {dirname} from "node:path"
import {messageOf, Problem} from "../../../shared/problems.ts"
import {freeSpace} from "../../runtime/disk.ts"
import {syncFolder} from "../../runtime/files.ts"
import {inspectFile, rewriteFile} from "./maintenance.ts"
import {readStorage} from "./storage.ts"

/** Where a database is written anew. */
const besideOf = (file: string) => `${file}.compact`

/** What a compaction that was cut off has left. Call it with the project's lock held. */
export const removeUnfinished = (file: string): void => {
  const left = ["", ".partial", ".partial-journal"].map(end => `${besideOf(file)}${end}`)
  for (const path of left) if (existsSync(path)) rmSync(path, {force: true})
}

/** Throws `compact_no_space` where the disk cannot hold the database twice. */
const requireSpace = async (file: string): Promise<void> => {
  const free = await freeSpace(dirname(file))
  const {file: size, log} = await readStorage(file)
  if (free < size + log)
    throw new Problem("compact_no_space", `${free} bytes are free for ${file}, which may take ${size + log} once more`)
}

/**
 * Writes a database that nobody has open anew, and puts it in the place of the old one by one change of a name: killed at
 * any instruction, the file is wholly the old one or wholly the new one, and both hold the same. Throws `compact_no_space`,
 * `database_failed`. Call it with the project's lock held, in a process that has not opened the file.
 */
export const compactFile = async (file: string): Promise<void> => {
  await requireSpace(file)
  removeUnfinished(file)
  const beside = besideOf(file)
  try {
    await rewriteFile(file, beside)
    const {findings} = await inspectFile(beside)
    if (findings.length > 0) throw new Error(`the new file is not sound: ${findings.join("; ")}`)
    // What stands in the log of the old file must never be taken for the log of the new one.
    if ((statSync(`${file}-wal`, {throwIfNoEntry: false})?.size ?? 0) > 0)
      throw new Error("something else writes to it")
    for (const end of ["-wal", "-shm"]) await rm(`${file}${end}`, {force: true})
    await rename(beside, file)
    await syncFolder(dirname(file))
  } catch (cause) {
    removeUnfinished(file)
    throw cause instanceof Problem ? cause : failed(file, cause)
  } finally {
    for (const end of ["-wal", "-shm"]) if (existsSync(`${beside}${end}`)) rmSync(`${beside}${end}`)
  }
}

const failed = (file: string, cause: unknown) =>
  new Problem("database_failed", `${file} was not compacted, and is as it was: ${messageOf(cause)}`, {cause})
