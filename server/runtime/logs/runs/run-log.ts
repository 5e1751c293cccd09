import {appendFileSync} from "node:fs"
import {type FileHandle, open, rm} from "node:fs/promises"
import {join} from "node:path"
import {makePrivateFolder} from "../../files.ts"
import {listSegments, lookAt, nameOf} from "./names.ts"

/** The largest size of a segment of a run's log, and of the logs of all runs together, in bytes. */
const longest = {segment: 2 * 1024 ** 2, all: 32 * 1024 ** 2} as const

/** The most characters that may wait to be written, so that a stalled disk delays nothing. */
const longestQueue = 1024 ** 2

/** How long after the first waiting record to write, in milliseconds. */
const pause = 200

export interface RunLogOptions {
  readonly folder: string
  readonly startedAt: number
  readonly runtimeId: string
}

/**
 * Keeps the log of a run on the disk, for reading after the run. Its size is limited: the oldest parts of any run are
 * deleted. A log that cannot be written is missing, without other effects. A kill loses only its last moments.
 */
export class RunLog {
  readonly #options: RunLogOptions
  #waiting: string[] = []
  #size = 0
  /** The number of the newest added record. */
  #last = 0
  /** The number of the first waiting record. */
  #first = 1
  /** True if records behind the waiting ones were dropped. */
  #hasHole = false
  #file: {readonly handle: FileHandle; readonly path: string; size: number} | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(options: RunLogOptions) {
    this.#options = options
    if (unclosed.size === 0) process.on("exit", writeAll)
    unclosed.add(this)
  }

  /** Adds one record as JSON, with the next number. */
  add(json: string): void {
    this.#last++
    if (this.#size > longestQueue) {
      this.#hasHole = true
      return
    }
    if (this.#waiting.length === 0) this.#first = this.#last
    this.#waiting.push(json)
    this.#size += json.length
    this.#timer ??= setTimeout(() => void this.flush(), pause)
    this.#timer.unref()
  }

  /** Resolves when the added records are written, or cannot be. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = this.#writing.then(() => this.#write()).catch(() => this.#startAnew())
    return this.#writing
  }

  async close(): Promise<void> {
    await this.flush()
    unclosed.delete(this)
    if (unclosed.size === 0) process.off("exit", writeAll)
    await this.#file?.handle.close().catch(() => {})
    this.#file = undefined
  }

  async #write(): Promise<void> {
    const {lines, first, hasHole} = this.#take()
    if (lines.length === 0) return
    const text = `${lines.join("\n")}\n`
    if (this.#file !== undefined && this.#file.size + text.length > longest.segment) this.#startAnew()
    this.#file ??= await this.#open(first)
    await this.#file.handle.appendFile(text)
    this.#file.size += text.length
    if (hasHole) this.#startAnew()
  }

  #take() {
    const taken = {lines: this.#waiting, first: this.#first, hasHole: this.#hasHole}
    this.#waiting = []
    this.#size = 0
    this.#hasHole = false
    return taken
  }

  /** Starts a new file, named by the number of its first record, because records before it are missing. */
  #startAnew(): void {
    const file = this.#file
    this.#file = undefined
    void file?.handle.close().catch(() => {})
  }

  async #open(first: number) {
    const {folder, startedAt, runtimeId} = this.#options
    await makePrivateFolder(folder)
    await this.#makeRoom()
    const path = join(folder, nameOf({startedAt, runtimeId, first}))
    return {handle: await open(path, "a", 0o600), path, size: 0}
  }

  async #makeRoom(): Promise<void> {
    let all = longest.segment
    for (const segment of (await listSegments(this.#options.folder)).toReversed()) {
      all += (await lookAt(segment)).size
      if (all > longest.all) await rm(segment.path, {force: true})
    }
  }

  /** Writes synchronously, since the process is about to end. */
  writeNow(): void {
    const {lines, first} = this.#take()
    const {folder, startedAt, runtimeId} = this.#options
    if (lines.length === 0) return
    const path = this.#file?.path ?? join(folder, nameOf({startedAt, runtimeId, first}))
    try {
      appendFileSync(path, `${lines.join("\n")}\n`, {mode: 0o600})
    } catch {
      // The log is then incomplete, as everywhere here.
    }
  }
}

/** The open logs of this process, which share one exit listener. */
const unclosed = new Set<RunLog>()
const writeAll = () => {
  for (const log of unclosed) log.writeNow()
}
