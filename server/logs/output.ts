import {fstatSync, writeSync} from "node:fs"
import type {Writable} from "node:stream"

/** What waits for a reader is at most so long, in characters: then lines are dropped, and counted. */
const longestQueue = 1024 * 1024

export interface Output {
  write(line: string): void
  /** Lines that were not written since the start. */
  readonly dropped: number
}

/**
 * Lines to standard output that neither wait for its reader nor grow without end. Where it is closed, full or not read,
 * lines are dropped; once it takes lines again, `resumed` hears how many were. Never throws.
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
  /** Those that `resumed` has not heard of. */
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

/** A disk that is full refuses lines until there is space again; a stream would be destroyed by the first. */
class FileOutput extends CountingOutput {
  readonly #descriptor: number
  /** The end of a line that was written in part. */
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

  /** What is left of it. */
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
    // Bun has no writableLength for a pipe; the callback comes when the line has left, or cannot (measured).
    this.#stream.write(line, error => {
      this.#waiting -= length
      if (error) this.drop()
      else if (this.#waiting <= longestQueue / 2) this.written()
    })
  }
}
