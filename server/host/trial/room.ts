import {Problem} from "../../../shared/problems.ts"
import {freeSpace} from "../../runtime/files.ts"
import {freeMemory} from "../../runtime/memory.ts"

/** The memory of a trial beyond the current memory of this process, in bytes: one more process watches over it. */
const margin = 64 * 1024 ** 2

/** The second process needs at most as much memory as this one. `wanted` is in MiB. Throws `not_tried`. */
export const requireMemory = async (wanted: number | undefined): Promise<void> => {
  const needed = wanted === undefined ? process.memoryUsage().rss + margin : wanted * 1024 ** 2
  requireFree("a trial", needed, "of memory", await freeMemory())
}

/** Throws `not_tried` if the disk of a folder has too few free bytes. */
export const requireSpace = async (folder: string, needed: number, what: string): Promise<void> =>
  requireFree(what, needed, `on the disk of ${folder}`, await freeSpace(folder))

const requireFree = (what: string, needed: number, where: string, free = needed): void => {
  if (free >= needed) return
  throw new Problem("not_tried", `${what} needs up to ${inMib(needed)} ${where}, but only ${inMib(free)} are free`)
}

const inMib = (bytes: number): string => `${Math.ceil(bytes / 1024 ** 2)} MiB`
