import {piecesOf} from "../../files/folder.ts"
import type {SecretSearch} from "./search.ts"

/** Resolves to the name of the first secret in a file. Reads it in overlapping pieces, so it may have any size. */
export const findInFile = async (path: string, search: SecretSearch): Promise<string | undefined> => {
  const overlap = Math.max(0, search.longest - 1)
  let end = Buffer.alloc(0)
  for await (const piece of piecesOf(path)) {
    const bytes = Buffer.concat([end, piece])
    const found = search.findIn(bytes)
    if (found !== undefined) return found
    end = overlap === 0 ? end : Buffer.from(bytes.subarray(-overlap))
  }
  return undefined
}
