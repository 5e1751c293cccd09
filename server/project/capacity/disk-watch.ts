import type {Log} from "../../../shared/log.ts"
import {messageOf} from "../../../shared/problems.ts"
import {fileSystemOf, leastFree} from "../../runtime/files.ts"
import {Periodic} from "../../runtime/flow/periodic.ts"

/** The folders with the Host's data, and the free space that they need. */
export interface DiskLimit {
  readonly folders: readonly string[]
  /** The least free space, in bytes; 0 means no limit. */
  readonly least: () => number
}

export interface DiskWatchOptions extends DiskLimit {
  /** Called at each change. */
  readonly onChange: (isFull: boolean) => void
  readonly log: Log
}

/** The interval between two checks of the free space, in milliseconds. */
const every = 5000

/** A full disk counts as full until it has a tenth more than the least space, so that ingress does not flap. */
const regained = 1.1

/** Returns the free space that opens ingress again, in bytes. */
export const resumeAt = (least: number): number => least * regained

export const isTooFull = (free: number, least: number, wasFull: boolean): boolean =>
  free < (wasFull ? resumeAt(least) : least)

/** Watches the free space for the Host's data. A check that hangs delays nothing but the next one. */
export const watchDisk = ({folders, least, onChange, log}: DiskWatchOptions) => {
  let isFull = false
  let apart = folders
  const look = async () => {
    const free = await leastFree(apart)
    const now = isTooFull(free, least(), isFull)
    if (now === isFull) return
    isFull = now
    const mebibytes = Math.floor(free / 1024 ** 2)
    if (isFull)
      log.error(`too little disk space for the Host's data: ${mebibytes} MiB free`, {folders: folders.join(" ")})
    else log.info(`enough disk space for the Host's data again: ${mebibytes} MiB free`)
    onChange(isFull)
  }
  const periodic = new Periodic(every, look, error =>
    log.warn(`could not read the free disk space: ${messageOf(error)}`),
  )
  return {
    /** Resolves after the first check. */
    start: async (): Promise<void> => {
      // Each check of a file system wakes a thread.
      apart = [
        ...new Map(await Promise.all(folders.map(async each => [await fileSystemOf(each), each] as const))).values(),
      ]
      await periodic.run()
      periodic.start()
    },
    stop: (): void => void periodic.stop(),
  }
}
