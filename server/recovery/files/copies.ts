import {createHash} from "node:crypto"
import {closeSync, constants, fstatSync, openSync, readSync, writeSync} from "node:fs"
import {setImmediate as turn} from "node:timers/promises"
import type {Fingerprint} from "../../database/upkeep/maintenance.ts"
import {isMissing, syncFile, syncFileSystem} from "../../runtime/files.ts"

/** How many files to sync one by one, and to read before the process gets a turn. */
export const few = 128

/** The most new files before a sync. */
const most = 10_000

const chunkSize = 1 << 20

type OnBytes = (count: number) => void

/**
 * Hashes and copies many files for a process that serves nothing else. Its calls block, because a small file then takes a
 * fraction of the time. The process gets a turn after some files, and after each MiB of a large one.
 */
export class Copies {
  readonly #isDurable: boolean
  readonly #chunk = Buffer.allocUnsafe(chunkSize)
  #copied: {readonly path: string; readonly system: number}[] = []
  #reads = 0

  constructor({isDurable}: {readonly isDurable: boolean}) {
    this.#isDurable = isDurable
  }

  /** Resolves to a plain file's size and SHA-256; undefined if there is none. Follows no link. */
  async hash(path: string, onBytes?: OnBytes): Promise<Fingerprint | undefined> {
    return this.#read(path, undefined, onBytes)
  }

  /** Copies a file for its owner only; complete after `settle`. Undefined without one. Not for the live database. */
  async copy(from: string, to: string, onBytes?: OnBytes): Promise<Fingerprint | undefined> {
    const copied = await this.#read(from, to, onBytes)
    if (this.#copied.length >= most) await this.settle()
    return copied
  }

  /** The new files are durable when it resolves, unless nobody needs that. */
  async settle(): Promise<void> {
    const systems = Map.groupBy(this.#copied.splice(0), ({system}) => system)
    if (this.#isDurable) for (const files of systems.values()) await syncAll(files.map(({path}) => path))
  }

  async #read(path: string, to: string | undefined, onBytes: OnBytes = () => {}): Promise<Fingerprint | undefined> {
    if (++this.#reads % few === 0) await turn()
    const source = openPlain(path)
    if (source === undefined) return undefined
    let target: number | undefined
    try {
      target = to === undefined ? undefined : openSync(to, "wx", 0o600)
      const sum = createHash("sha256")
      const read = () => readSync(source, this.#chunk, 0, chunkSize, null)
      let size = 0
      for (let count = read(); count > 0; count = read()) {
        const bytes = this.#chunk.subarray(0, count)
        sum.update(bytes)
        for (let at = 0; target !== undefined && at < count; ) at += writeSync(target, bytes, at)
        size += count
        onBytes(count)
        if (count === chunkSize) await turn()
      }
      if (to !== undefined && target !== undefined) this.#copied.push({path: to, system: fstatSync(target).dev})
      return {size, sha256: sum.digest("hex")}
    } finally {
      closeSync(source)
      if (target !== undefined) closeSync(target)
    }
  }
}

/** A whole file system takes a moment to sync, but every single file a few milliseconds. */
const syncAll = async (paths: readonly string[]): Promise<void> => {
  const [path = ""] = paths
  if (paths.length > few && (await syncFileSystem(path))) return
  for (let at = 0; at < paths.length; at += few) await Promise.all(paths.slice(at, at + few).map(syncFile))
}

const openPlain = (path: string): number | undefined => {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    if (fstatSync(file).isFile()) return file
    closeSync(file)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
  throw new Error(`${path} is not a plain file`)
}
