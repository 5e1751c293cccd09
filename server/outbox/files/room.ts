import {Problem} from "../../../shared/problems.ts"
import type {FileUsage} from "./rows.ts"

/** How many bytes of room an incoming file of unknown size takes at a time. */
const step = 1024 * 1024

/** The room that the quota leaves, including files that are being stored. */
export class Room {
  readonly #usage: () => Promise<FileUsage>
  readonly #quota: () => number
  #coming = 0

  constructor(usage: () => Promise<FileUsage>, quota: () => number) {
    this.#usage = usage
    this.#quota = quota
  }

  /** Takes room for this number of bytes. Returns false if there is too little. */
  async take(bytes: number): Promise<boolean> {
    const usage = await this.#usage()
    if (usage.bytes + this.#coming + bytes > this.#quota()) return false
    this.#coming += bytes
    return true
  }

  free(bytes: number): void {
    this.#coming -= bytes
  }

  /**
   * Counts pieces while they are read. Reading throws `files_full` if there is too little room. `free` frees the room:
   * the bytes are stored, or will not be. Calling it more than once is harmless.
   */
  counting(pieces: AsyncIterable<Uint8Array>) {
    let size = 0
    let taken = 0
    const grow = async () => {
      const missing = size - taken
      for (const bytes of [Math.max(missing, step), missing]) {
        if (!(await this.take(bytes))) continue
        taken += bytes
        return
      }
      throw await this.full(`a file of at least ${size} bytes`)
    }
    async function* counted(): AsyncGenerator<Uint8Array> {
      for await (const piece of pieces) {
        size += piece.length
        if (size > taken) await grow()
        yield piece
      }
    }
    const free = () => {
      this.free(taken)
      taken = 0
    }
    return {pieces: counted(), free}
  }

  async full(what: string): Promise<Problem> {
    const {bytes} = await this.#usage()
    return new Problem("files_full", `${what} does not fit: files.quota is ${this.#quota()} bytes, ${bytes} in use`)
  }
}
