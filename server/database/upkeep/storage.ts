import {stat} from "node:fs/promises"
import {dirname} from "node:path"
import {freeSpace} from "../../runtime/disk.ts"
import {isMissing} from "../../runtime/files.ts"

/** Sizes in bytes. */
export interface Storage {
  readonly file: number
  /** The write-ahead log beside the file. */
  readonly log: number
  readonly free: number
}

/**
 * Returns the space that a database file takes on its disk. Never opens the file: closing it would drop SQLite's locks
 * on it.
 */
export const readStorage = async (file: string): Promise<Storage> => {
  const [own, log, free] = await Promise.all([sizeOf(file), sizeOf(`${file}-wal`), freeSpace(dirname(file))])
  return {file: own, log, free}
}

const sizeOf = async (path: string): Promise<number> => {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (isMissing(error)) return 0
    throw error
  }
}
