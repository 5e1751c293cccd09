import {open} from "node:fs/promises"
import {anywhere} from "../../runtime/logs/form-search.ts"
import type {SecretSearch} from "./search.ts"

/** A multiple of SQLite's page sizes, the largest of which is 64 KiB. */
const chunkSize = 1 << 20

/**
 * Resolves to whether a row of a SQLite file may contain the value of a secret. It reads the file as bytes, many times faster
 * than by rows. SQLite stores a long value in several pages (its file format, 1.6), each part in one piece. A form is therefore
 * complete in one page or cut in two, and the search is for halves. Resolves to true if a value is too short for that. Do not
 * use it on a file that this process has open in SQLite.
 */
export const mayHold = async (
  path: string,
  search: SecretSearch,
  onBytes: (done: number, total: number) => void,
): Promise<boolean> => {
  if (search.isEmpty) return false
  const halves = search.halves()
  if (halves === undefined) return true
  const file = await open(path, "r")
  try {
    const {size} = await file.stat()
    const chunk = Buffer.allocUnsafe(chunkSize)
    for (let done = 0; done < size; ) {
      const length = await readWhole(file, chunk, done)
      if (length === 0) return true
      if (halves.find(chunk.toString("latin1", 0, length), 0, anywhere) !== undefined) return true
      done += length
      onBytes(done, size)
    }
    return false
  } finally {
    await file.close()
  }
}

/** Fills the chunk if the file is long enough: a single read may end early, in the middle of a page. */
const readWhole = async (file: Awaited<ReturnType<typeof open>>, chunk: Buffer, from: number): Promise<number> => {
  let filled = 0
  while (filled < chunk.length) {
    const {bytesRead} = await file.read(chunk, filled, chunk.length - filled, from + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return filled
}
