import {fstatSync, writeSync} from "node:fs"
import type {Writable} from "node:stream"
import {tryOr} from "../../../shared/try-or.ts"

/** The most characters that may wait for a reader. Beyond this, lines are dropped and counted. */
const longestQueue = 1024 * 1024

/**
 * Writes lines to standard output without waiting for its reader and without growing endlessly. Drops lines while it is
 * closed, full or not read. Once it accepts lines again, calls `resumed` with the number of dropped lines. Never
 * throws.
 */
export const createOutput = (stdout: Writable & {readonly fd: number}, resumed: (dropped: number) => void) => {
  const lines = countDropped(resumed)
  return isFile(stdout.fd) ? new FileOutput(stdout.fd, lines) : new StreamOutput(stdout, lines)
}

const isFile = (descriptor: number): boolean => tryOr(() => fstatSync(descriptor).isFile(), false)

const countDropped = (resumed: (dropped: number) => void) => {
  let untold = 0
  return {
    drop: () => {
      untold++
    },
    written: () => {
      const dropped = untold
      untold = 0
      if (dropped > 0) resumed(dropped)
    },
  }
}

type Lines = ReturnType<typeof countDropped>

/** A full disk refuses lines until there is space again. The first failure would destroy a stream. */
class FileOutput {
  readonly #descriptor: number
  readonly #lines: Lines
  /** The unwritten end of a partly written line. */
  #rest: Uint8Array = new Uint8Array()

  constructor(descriptor: number, lines: Lines) {
    this.#descriptor = descriptor
    this.#lines = lines
  }

  write(line: string): void {
    try {
      this.#rest = this.#writeAll(this.#rest)
      if (this.#rest.length > 0) throw new Error("the line before has no room")
      this.#rest = this.#writeAll(Buffer.from(line))
      if (this.#rest.length === 0) this.#lines.written()
    } catch {
      this.#lines.drop()
    }
  }

  /** Returns the part that was not written. */
  #writeAll(bytes: Uint8Array): Uint8Array {
    let from = 0
    while (from < bytes.length) {
      try {
        from += writeSync(this.#descriptor, bytes, from)
      } catch (error) {
        if (from === 0) throw error
        break
      }
    }
    return bytes.subarray(from)
  }
}

class StreamOutput {
  readonly #stream: Writable
  readonly #lines: Lines
  #waiting = 0

  constructor(stream: Writable, lines: Lines) {
    this.#stream = stream
    this.#lines = lines
  }

  write(line: string): void {
    if (this.#waiting > longestQueue) {
      this.#lines.drop()
      return
    }
    const {length} = line
    this.#waiting += length
    // Bun has no writableLength for a pipe. The callback is called when the line was written or failed (measured).
    this.#stream.write(line, error => {
      this.#waiting -= length
      if (error) this.#lines.drop()
      else if (this.#waiting <= longestQueue / 2) this.#lines.written()
    })
  }
}
