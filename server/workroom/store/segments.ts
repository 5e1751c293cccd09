import {readdir, readFile} from "node:fs/promises"
import {join} from "node:path"
import {setImmediate as turn} from "node:timers/promises"
import {ifThere} from "../../runtime/files.ts"
import {readFrames, type Stop} from "./frames.ts"

/** The paths of a file store. Its folder is `.svc/`, or another folder with a copy. */
export const storePaths = (folder: string) => ({
  folder,
  catalog: join(folder, "workroom-catalog.json"),
  journal: join(folder, "workroom-journal"),
  acknowledged: join(folder, "workroom-journal", "acknowledged"),
})

export type StorePaths = ReturnType<typeof storePaths>

/** One file of the Journal: records from `first` on. */
export interface Segment {
  readonly name: string
  readonly path: string
  /** The number of its first record. */
  readonly first: number
}

const namePattern = /^(\d{16})\.segment$/

export const segmentAt = (journal: string, first: number): Segment => {
  const name = `${String(first).padStart(16, "0")}.segment`
  return {name, path: join(journal, name), first}
}

/** The number of bytes to check in one turn of the event loop. */
const atOnce = 512 * 1024

/** In the order of their records. */
export const listSegments = async (journal: string): Promise<readonly Segment[]> => {
  const names = (await ifThere(readdir(journal))) ?? []
  return names
    .flatMap(name => {
      const first = namePattern.exec(name)?.[1]
      return first === undefined ? [] : [segmentAt(journal, Number(first))]
    })
    .sort((one, other) => one.first - other.first)
}

/** Where the reading of segments ended: at an incomplete record, or at the end of the last segment. */
export interface JournalEnd extends Stop {
  readonly segment: Segment | undefined
  readonly isLast: boolean
  readonly bytes: Buffer
}

/**
 * Passes the text of each record to `take`, with the offset behind it, segment by segment. Ends if `take` objects, if a
 * frame is incomplete, or if a segment does not begin with the next record.
 */
export const readSegments = async (
  segments: readonly Segment[],
  next: () => number,
  take: (text: string, end: number, segment: Segment) => string | undefined,
): Promise<JournalEnd> => {
  let end: JournalEnd = {segment: undefined, isLast: true, bytes: Buffer.alloc(0), offset: 0}
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1
    if (segment.first !== next()) {
      return {
        segment,
        isLast: false,
        bytes: Buffer.alloc(0),
        offset: 0,
        wrong: `it begins with record ${segment.first}`,
      }
    }
    const bytes = await readFile(segment.path)
    end = {segment, isLast, bytes, offset: 0}
    while (end.offset < bytes.length) {
      const part = {from: end.offset, until: end.offset + atOnce}
      end = {segment, isLast, bytes, ...readFrames(bytes, (text, after) => take(text, after, segment), part)}
      if (end.wrong !== undefined) return end
      await turn()
    }
  }
  return end
}
