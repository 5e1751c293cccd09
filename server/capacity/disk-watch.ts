import type {Log} from "../../shared/log.ts"
import {messageOf} from "../../shared/problems.ts"
import {freeSpace} from "../runtime/disk.ts"

/** The Host's own folders, and how much space must be free for them. */
export interface DiskLimit {
  readonly folders: readonly string[]
  /** Less free space than this, in bytes, is too little; 0 for no limit. */
  readonly least: () => number
}

export interface DiskWatchOptions extends DiskLimit {
  /** Hears of it when it changes. */
  readonly onChange: (isFull: boolean) => void
  readonly log: Log
}

/** Free space is looked at every so many milliseconds. */
const every = 5000

/** A disk counts as full until it has a tenth more than the least, so that a pause does not flutter. */
const regained = 1.1

/** So much free space, in bytes, opens ingress again. */
export const resumeAt = (least: number): number => least * regained

export const isTooFull = (free: number, least: number, wasFull: boolean): boolean =>
  free < (wasFull ? resumeAt(least) : least)

export interface DiskWatch {
  /** Resolves when the first look is over. */
  start(): Promise<void>
  stop(): void
}

/** Watches the free space of the Host's own folders from its start to its stop. */
export const watchDisk = ({folders, least, onChange, log}: DiskWatchOptions): DiskWatch => {
  let isFull = false
  const look = async () => {
    const free = Math.min(...(await Promise.all(folders.map(freeSpace))))
    const now = isTooFull(free, least(), isFull)
    if (now === isFull) return
    isFull = now
    const mebibytes = Math.round(free / 1024 ** 2)
    if (isFull) log.error(`${mebibytes} MiB are free for the Host's data: too little`, {folders: folders.join(" ")})
    else log.info(`${mebibytes} MiB are free for the Host's data again`)
    onChange(isFull)
  }
  const tell = (error: unknown) => log.warn(`free space is not known: ${messageOf(error)}`)
  let timer: NodeJS.Timeout | undefined
  return {
    start: async () => {
      await look().catch(tell)
      timer = setInterval(() => void look().catch(tell), every)
      timer.unref()
    },
    stop: () => clearInterval(timer),
  }
}
