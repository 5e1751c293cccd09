import {fstatSync, writeSync} from "node:fs"
import type {Writable} from "node:stream"

/** The most characters that may wait for a reader. Beyond this, lines are dropped and counted. */
const longestQueue = 1024 * 1024

export interface Output {
  write(line: string): void
  /** How many lines were dropped since the start. */
  readonly dropped: number
}

/**
 * Writes lines to standard output without waiting for its reader and without growing endlessly. Drops lines while it is
 * closed, full or not read. Once it accepts lines again, calls `resumed` with the number of dropped lines. Never
 * throws.
 */
export const createOutput = (stdout: Writable & {readonly fd: number}, resumed: (dropped: number) => void): Output =>
  isFile(stdout.fd) ? new FileOutput(stdout.fd, resumed) : new StreamOutput(stdout, resumed)

const isFile = (descriptor: number): boolean => {
  try {
    return fstatSync(descriptor).isFile()
  } catch {
    return false
  }
}

abstract class CountingOutput implements Output {
  #dropped = 0
  /** Dropped lines that were not reported to `resumed` yet. */
  #untold = 0
  readonly #resumed: (dropped: number) => void

  constructor(resumed: (dropped: number) => void) {
    this.#resumed = resumed
  }

  get dropped(): number {
    return this.#dropped
  }

  abstract write(line: string): void

  protected drop(): void {
    this.#dropped++
    this.#untold++
  }

  protected written(): void {
    if (this.#untold === 0) return
    const count = this.#untold
    this.#untold = 0
    this.#resumed(count)
  }
}

/** A full disk refuses lines until there is space again. The first failure would destroy a stream. */
class FileOutput extends CountingOutput {
  readonly #descriptor: number
  /** The unwritten end of a partly written line. */
  #rest: Uint8Array = new Uint8Array()

  constructor(descriptor: number, resumed: (dropped: number) => void) {
    super(resumed)
    this.#descriptor = descriptor
  }

  write(line: string): void {
    try {
      this.#rest = this.#writeAll(this.#rest)
      if (this.#rest.length > 0) throw new Error("the line before has no room")
      this.#rest = this.#writeAll(Buffer.from(line))
      if (this.#rest.length === 0) this.written()
    } catch {
      this.drop()
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

class StreamOutput extends CountingOutput {
  readonly #stream: Writable
  #waiting = 0

  constructor(stream: Writable, resumed: (dropped: number) => void) {
    super(resumed)
    this.#stream = stream
  }

  write(line: string): void {
    if (this.#waiting > longestQueue) {
      this.drop()
      return
    }
    const {length} = line
    this.#waiting += length
    // Bun has no writableLength for a pipe. The callback is called when the line was written or failed (measured).
    this.#stream.write(line, error => {
      this.#waiting -= length
      if (error) this.drop()
      else if (this.#waiting <= longestQueue / 2) this.written()
    })
  }
}
