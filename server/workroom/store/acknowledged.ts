import {closeSync, fdatasync, openSync, writeSync} from "node:fs"
import {promisify} from "node:util"
import {fromJson} from "../../../shared/json.ts"
import {readFileIfExists, writeFileAtomic} from "../../runtime/files.ts"
import type {CatalogHead} from "./catalog.ts"
import {canonical, seal, sealOf} from "./record.ts"

/** Less than one sector of any disk, so that a write replaces it completely or not at all. */
const size = 384

/** The longest time until an acknowledgement is flushed to the disk, in milliseconds. */
const flushAfter = 100

const sync = promisify(fdatasync)

const render = ({origin, authority, seq, hash: head}: CatalogHead): string =>
  `${seal(canonical({origin, authority, seq, head})).text.padEnd(size - 1)}\n`

const parse = (text: string): CatalogHead | undefined => {
  if (sealOf(text.trimEnd()) === undefined) return undefined
  const {origin, authority, seq, head} = fromJson(text) as Omit<CatalogHead, "hash"> & {readonly head: string}
  const found = {origin, authority, seq, hash: head}
  return render(found) === text ? found : undefined
}

/** Reads the acknowledged head: undefined without a file, `damaged` if the file was changed. */
export const readAcknowledged = async (path: string): Promise<CatalogHead | "damaged" | undefined> => {
  const text = await readFileIfExists(path)
  return text === undefined ? undefined : (parse(text) ?? "damaged")
}

export const writeAcknowledged = (path: string, head: CatalogHead): Promise<void> => writeFileAtomic(path, render(head))

/**
 * The small file with the number of the last acknowledged record. It is written before a command is answered, so a
 * killed process leaves it exact. The disk has it within a tenth of a second, so a power cut may leave it that much
 * behind. That loses nothing: the records above it are already on the disk.
 */
export class Acknowledged {
  readonly #file: number
  readonly #lineage: Pick<CatalogHead, "origin">
  #flushing: Promise<void> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #failure: unknown

  /** Opens a file that `writeAcknowledged` made. */
  constructor(path: string, lineage: Pick<CatalogHead, "origin">) {
    this.#file = openSync(path, "r+")
    this.#lineage = lineage
  }

  /** Throws the error of an earlier flush, or of this write. */
  write(head: Omit<CatalogHead, "origin">): void {
    if (this.#failure !== undefined) throw this.#failure
    writeSync(this.#file, render({...head, ...this.#lineage}), 0)
    this.#timer ??= setTimeout(() => void this.flush().catch(() => {}), flushAfter).unref()
  }

  /** Flushed to the disk when it resolves. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    await this.#flushing
    this.#flushing = sync(this.#file).catch(error => {
      this.#failure = error
    })
    await this.#flushing
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Closes the file without a flush. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#flushing
    closeSync(this.#file)
  }
}
