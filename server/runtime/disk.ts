import {stat, statfs} from "node:fs/promises"
import {dirname} from "node:path"

/** Free space for a folder, in bytes, as an ordinary user has it; of the nearest one that is there. */
export const freeSpace = async (folder: string): Promise<number> => {
  const {bavail, bsize} = await statfs(await nearestFolder(folder))
  return Number(bavail) * Number(bsize)
}

/**
 * How many files a file system has room for, in the same way. Infinity where it has no limit of its own: it makes inodes as it needs
 * them.
 */
export const freeFiles = async (folder: string): Promise<number> => {
  const {files, ffree} = await statfs(await nearestFolder(folder))
  return Number(files) === 0 ? Number.POSITIVE_INFINITY : Number(ffree)
}

/** Equal for folders on one file system; of the nearest one that is there. */
export const fileSystemOf = async (folder: string): Promise<number> => (await stat(await nearestFolder(folder))).dev

const nearestFolder = async (path: string): Promise<string> =>
  (await stat(path).catch(() => undefined))?.isDirectory() === true ? path : nearestFolder(dirname(path))

/** Does a text say that a disk is full? Of the system, of programs, of SQLite. */
export const tellsOfFullDisk = (text: string): boolean =>
  /ENOSPC|EDQUOT|no space left on device|disk quota exceeded|database or disk is full|SQLITE_FULL/i.test(text)
