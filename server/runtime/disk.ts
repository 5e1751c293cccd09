import {stat, statfs} from "node:fs/promises"
import {dirname} from "node:path"

/**
 * Returns the free space for a folder, in bytes, that an ordinary user may use. Looks at the nearest existing parent if
 * the folder is missing.
 */
export const freeSpace = async (folder: string): Promise<number> => {
  const {bavail, bsize} = await statfs(await nearestFolder(folder))
  return Number(bavail) * Number(bsize)
}

/**
 * Returns how many more files the folder's file system can hold. Infinity for a file system that creates inodes as it
 * needs them.
 */
export const freeFiles = async (folder: string): Promise<number> => {
  const {files, ffree} = await statfs(await nearestFolder(folder))
  return Number(files) === 0 ? Number.POSITIVE_INFINITY : Number(ffree)
}

/**
 * Returns an id that is equal for folders on the same file system. Looks at the nearest existing parent if the folder
 * is missing.
 */
export const fileSystemOf = async (folder: string): Promise<number> => (await stat(await nearestFolder(folder))).dev

const nearestFolder = async (path: string): Promise<string> =>
  (await stat(path).catch(() => undefined))?.isDirectory() === true ? path : nearestFolder(dirname(path))

/** Does an error text of the system, a program or SQLite say that the disk is full? */
export const tellsOfFullDisk = (text: string): boolean =>
  /ENOSPC|EDQUOT|no space left on device|disk quota exceeded|database or disk is full|SQLITE_FULL/i.test(text)
