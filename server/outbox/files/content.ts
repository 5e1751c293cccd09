import {toJson} from "../../../shared/json.ts"
import {messageOf, Problem} from "../../../shared/problems.ts"
import {piecesOf} from "./folder.ts"

/** Bytes to store, which can be read more than once. */
export interface FileContent {
  /** In bytes, as far as it is known in advance. */
  readonly size: number
  pieces(): AsyncIterable<Uint8Array>
}

/** The content of a file on the disk, as long as it was when it was inspected. Reading throws `file_path_refused`. */
export const contentOfFile = (path: string, size: number): FileContent => ({size, pieces: () => readable(path, size)})

async function* readable(path: string, size: number): AsyncGenerator<Uint8Array> {
  try {
    yield* piecesOf(path, size)
  } catch (cause) {
    throw new Problem("file_path_refused", `the file ${toJson(path)} cannot be read: ${messageOf(cause)}`, {cause})
  }
}
