import {closeSync, fdatasync, openSync, writeSync} from "node:fs"
import {promisify} from "node:util"
import {fromJson} from "../../../shared/json.ts"
import {readFileIfExists, writeFileAtomic} from "../../runtime/files.ts"
import type {CatalogHead} from "../catalog.ts"
import {canonical, seal, sealOf} from "./record.ts"

/** Within one sector of any disk, so that it is replaced wholly or not at all. */
const size = 384

/** An acknowledgement is on the disk so soon, in milliseconds, where nothing else brings it there before. */
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

/** What a file says was acknowledged: undefined where there is none, `damaged` where it is not what was written. */
export const readAcknowledged = async (path: string): Promise<CatalogHead | "damaged" | undefined> => {
  const text = await readFileIfExists(path)
  return text === undefined ? undefined : (parse(text) ?? "damaged")
}

export const writeAcknowledged = (path: string, head: CatalogHead): Promise<void> => writeFileAtomic(path, render(head))

/**
 * The small file that says up to which record the Journal was acknowledged. It is written before anybody is told, so a
 * process that dies leaves it exact; the disk has it within a tenth of a second, so a power cut may leave it that much
 * behind, which takes nothing away: what it lags behind by was already on the disk, whole.
 */
export class Acknowledged {
  readonly #file: number
  readonly #lineage: Pick<CatalogHead, "origin">
  #flushing: Promise<void> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #failure: unknown

  /** Of a file that `writeAcknowledged` has made. */
  constructor(path: string, lineage: Pick<CatalogHead, "origin">) {
    this.#file = openSync(path, "r+")
    this.#lineage = lineage
  }

  /** Throws what an earlier flush, or this write, failed with. */
  write(head: Omit<CatalogHead, "origin">): void {
    if (this.#failure !== undefined) throw this.#failure
    writeSync(this.#file, render({...head, ...this.#lineage}), 0)
    this.#timer ??= setTimeout(() => void this.flush().catch(() => {}), flushAfter).unref()
  }

  /** On the disk when it resolves. */
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

  /** Without a flush. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#flushing
    closeSync(this.#file)
  }
}
