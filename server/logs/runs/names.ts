import {readdir, stat} from "node:fs/promises"
import {join} from "node:path"

/** A part of the log of one run, as a file. */
export interface Segment {
  readonly path: string
  /** Milliseconds since 1970: when the run began. */
  readonly startedAt: number
  readonly runtimeId: string
  /** The number of its first record. */
  readonly first: number
}

/** Sorts as the records were written: by run, then by number. */
export const nameOf = ({startedAt, runtimeId, first}: Omit<Segment, "path">): string =>
  `${startedAt}-${runtimeId}-${String(first).padStart(9, "0")}.jsonl`

const pattern = /^(\d{13})-([0-9A-Za-z-]+)-(\d{9,})\.jsonl$/

/** The oldest first; other files are left out. */
export const listSegments = async (folder: string): Promise<readonly Segment[]> =>
  (await readdir(folder).catch(() => [])).sort().flatMap(name => {
    const [, startedAt, runtimeId, first] = pattern.exec(name) ?? []
    return runtimeId === undefined
      ? []
      : [{path: join(folder, name), startedAt: Number(startedAt), runtimeId, first: Number(first)}]
  })

/** Size in bytes, and when it was written last, in milliseconds since 1970; zeros for a file that is gone. */
export const lookAt = async ({path}: Segment): Promise<{readonly size: number; readonly writtenAt: number}> => {
  const found = await stat(path).catch(() => undefined)
  return {size: found?.size ?? 0, writtenAt: found?.mtimeMs ?? 0}
}
