import {readFile, stat} from "node:fs/promises"
import {join} from "node:path"
import {promisify} from "node:util"
import {brotliDecompress, gzip} from "node:zlib"
import {fromJson} from "../../../shared/json.ts"
import {Problem} from "../../../shared/problems.ts"
import {listingName, packageRoot} from "../../runtime/own-files.ts"

/** The forms in which the Host serves a file of the browser application, the smallest first. The build stores only Brotli. */
export const encodings = ["br", "gzip"] as const
export type Encoding = (typeof encodings)[number]

export interface ConsoleFile {
  readonly type: string
  /** The hash of the content; each encoding has its own tag. */
  readonly hash: string
}

/** `files.json`, which the build writes last. Only the files in it are served. */
export interface ConsoleListing {
  /** The hash of the build's sources. */
  readonly source: string
  /** The compressed size of everything that a browser loads before it shows the page, in bytes. */
  readonly firstLoad: number
  /** The folders of the packages in the application, relative to the repository. */
  readonly packages: readonly string[]
  readonly files: Readonly<Record<string, ConsoleFile>>
}

const folder = join(packageRoot, "dist/console")

/** The only file besides the page whose name does not change. */
export const serviceWorkerName = "service-worker.js"

/** Reads the folder's current listing. Throws `console_missing`. */
const readListing = async (): Promise<ConsoleListing> => {
  try {
    return fromJson(await readFile(join(folder, listingName), "utf8")) as ConsoleListing
  } catch (cause) {
    throw new Problem("console_missing", "the console was not built", {cause})
  }
}

/** The shortest interval of looks for a new build, in milliseconds. */
const lookEvery = 1000

/** The built console in memory. Each file is made once in each encoding. A new build is served within a second. */
export class ConsoleFiles {
  readonly #files = new Map<string, Promise<Uint8Array<ArrayBuffer>>>()
  #lookedAt = Number.NEGATIVE_INFINITY
  #writtenAt: number | undefined
  #listing: Promise<ConsoleListing> | undefined

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
    const key = `${encoding} ${name}`
    const known = this.#files.get(key)
    if (known !== undefined) return known
    const made = this.#make(name, encoding)
    this.#files.set(key, made)
    made.catch(() => this.#files.delete(key))
    return made
  }

  async #make(name: string, encoding: Encoding | undefined): Promise<Uint8Array<ArrayBuffer>> {
    if (encoding === "br") return readFile(join(folder, `${name}.br`))
    if (encoding === "gzip") return promisify(gzip)(await this.read(name, undefined))
    return promisify(brotliDecompress)(await this.read(name, "br"))
  }

  async #look(before: Promise<ConsoleListing> | undefined): Promise<ConsoleListing> {
    const written = await stat(join(folder, listingName)).catch(() => undefined)
    if (before !== undefined && written !== undefined && written.mtimeMs === this.#writtenAt) return before
    this.#files.clear()
    this.#writtenAt = written?.mtimeMs
    return readListing()
  }
}
