import {readFile, stat} from "node:fs/promises"
import {join} from "node:path"
import {Problem} from "../../shared/problems.ts"
import {packageRoot} from "../runtime/own-files.ts"

/** How the browser application is kept: each file as it is, and compressed beside it. */
export const encodings = {br: ".br", gzip: ".gz"} as const
export type Encoding = keyof typeof encodings

export interface ConsoleFile {
  readonly type: string
  /** Of its content; each encoding has a tag of its own. */
  readonly hash: string
  readonly encodings: readonly Encoding[]
}

/** `files.json`, which the build writes last: what may be served, and nothing else is. */
export interface ConsoleListing {
  /** Hash of everything that it was built from. */
  readonly source: string
  /** What a browser loads before anything is shown, compressed, in bytes. */
  readonly firstLoad: number
  readonly files: Readonly<Record<string, ConsoleFile>>
}

/** Where the build puts the browser application. */
export const consoleFolder = join(packageRoot, "dist/console")

export const listingName = "files.json"

/** The one file beside the page whose name stays. */
export const serviceWorkerName = "service-worker.js"

/** What the folder holds now. Throws `console_missing`. */
export const readListing = async (folder = consoleFolder): Promise<ConsoleListing> => {
  try {
    return JSON.parse(await readFile(join(folder, listingName), "utf8"))
  } catch (cause) {
    throw new Problem("console_missing", "the console was not built", {cause})
  }
}

/** The Host looks for a new build so often at most, in milliseconds. */
const lookEvery = 1000

/**
 * The built console in memory: each file is read once, in each encoding that was asked for. A new build is served within a
 * second.
 */
export class ConsoleFiles {
  readonly #folder: string
  readonly #files = new Map<string, Promise<Uint8Array<ArrayBuffer>>>()
  #lookedAt = Number.NEGATIVE_INFINITY
  #writtenAt: number | undefined
  #listing: Promise<ConsoleListing> | undefined

  constructor(folder = consoleFolder) {
    this.#folder = folder
  }

  /** Throws `console_missing`. */
  listing(): Promise<ConsoleListing> {
    const now = performance.now()
    if (this.#listing === undefined || now - this.#lookedAt >= lookEvery) {
      this.#lookedAt = now
      this.#listing = this.#look(this.#listing)
    }
    return this.#listing
  }

  /** A file of the listing; `name` must be one of its names. */
  read(name: string, encoding: Encoding | undefined): Promise<Uint8Array<ArrayBuffer>> {
    const file = `${name}${encoding === undefined ? "" : encodings[encoding]}`
    const known = this.#files.get(file)
    if (known !== undefined) return known
    const read = readFile(join(this.#folder, file))
    this.#files.set(file, read)
    read.catch(() => this.#files.delete(file))
    return read
  }

  async #look(before: Promise<ConsoleListing> | undefined): Promise<ConsoleListing> {
    const written = await stat(join(this.#folder, listingName)).catch(() => undefined)
    if (before !== undefined && written !== undefined && written.mtimeMs === this.#writtenAt) return before
    this.#files.clear()
    this.#writtenAt = written?.mtimeMs
    return readListing(this.#folder)
  }
}
