import {readdir, stat} from "node:fs/promises"
import {join} from "node:path"

/** A part of a run's log, as a file. */
export interface Segment {
  readonly path: string
  /** When the run began, in milliseconds since 1970. */
  readonly startedAt: number
  readonly runtimeId: string
  /** The number of its first record. */
  readonly first: number
}

/** Returns a name that sorts in the order of writing: by run, then by number. */
export const nameOf = ({startedAt, runtimeId, first}: Omit<Segment, "path">): string =>
  `${startedAt}-${runtimeId}-${String(first).padStart(9, "0")}.jsonl`

const pattern = /^(\d{13})-([0-9A-Za-z-]+)-(\d{9,})\.jsonl$/

/** Lists the log files, the oldest first. Ignores other files. */
export const listSegments = async (folder: string): Promise<readonly Segment[]> =>
  (await readdir(folder).catch(() => [])).sort().flatMap(name => {
    const [, startedAt, runtimeId, first] = pattern.exec(name) ?? []
    return runtimeId === undefined
      ? []
      : [{path: join(folder, name), startedAt: Number(startedAt), runtimeId, first: Number(first)}]
  })

/** Returns the size in bytes and the time of the last write, in milliseconds since 1970; zeros if the file is gone. */
export const lookAt = async ({path}: Segment): Promise<{readonly size: number; readonly writtenAt: number}> => {
  const found = await stat(path).catch(() => undefined)
  return {size: found?.size ?? 0, writtenAt: found?.mtimeMs ?? 0}
}
