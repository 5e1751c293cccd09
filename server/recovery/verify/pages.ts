import {open} from "node:fs/promises"
import {anywhere} from "../../logs/form-search.ts"
import type {SecretSearch} from "./search.ts"

/** Whole pages of SQLite's, the largest of which is of 64 KiB. */
const chunkSize = 1 << 20

/**
 * May a row of a SQLite file hold the value of a secret? Reads the file as bytes, many times faster than its rows. SQLite keeps a
 * long value in several pages (its file format, 1.6), each part in one piece, so a form is whole in one page or cut in two: the
 * search is for halves. True where a value is too short for that. Never for a file that this process has open in SQLite.
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

/** As many bytes as there are: a read may end before the chunk does, in the middle of a page. */
const readWhole = async (file: Awaited<ReturnType<typeof open>>, chunk: Buffer, from: number): Promise<number> => {
  let filled = 0
  while (filled < chunk.length) {
    const {bytesRead} = await file.read(chunk, filled, chunk.length - filled, from + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return filled
}
