import {createHash, randomUUID} from "node:crypto"
import {constants, type FileHandle, open, readdir, rename, rm, stat} from "node:fs/promises"
import {join} from "node:path"
import {messageOf, Problem} from "../../../shared/problems.ts"
import {ifThere, makePrivateFolder, syncFolder} from "../../runtime/files.ts"

/** The size of the pieces in which files are read, in bytes. */
const chunkSize = 256 * 1024

/** Returns the relative path of a stored file, in the folder of files and in a checkpoint: `<aa>/<sha256>`. */
export const storedName = (sha256: string): string => `${sha256.slice(0, 2)}/${sha256}`

/** Other files in that folder: written to and not renamed yet. */
const temporary = /^\..*\.tmp$/

/** Written bytes with a known SHA-256, before they get their final name. */
export interface Written {
  readonly sha256: string
  readonly size: number
  /** Moves the bytes to their name, durably. An existing equal file stays. */
  keep(): Promise<void>
  /** Removes them, unless they were kept. */
  drop(): Promise<void>
}

/** Files by the SHA-256 of their content. A file is complete and durable under its name, or missing. */
export class FileFolder {
  readonly root: string
  /** Begins the names of its unfinished files. */
  readonly #own = `.${randomUUID()}`

  /** `root` is created with the first file. */
  constructor(root: string) {
    this.root = root
  }

  pathOf(sha256: string): string {
    return join(this.root, storedName(sha256))
  }

  /** Returns the size of a stored file; undefined if it is missing. */
  async sizeOf(sha256: string): Promise<number | undefined> {
    return (await ifThere(stat(this.pathOf(sha256))))?.size
  }

  /** Writes bytes durably under a temporary name. Throws `state_unwritable`, and the errors of `pieces`. */
  async write(pieces: AsyncIterable<Uint8Array>): Promise<Written> {
    await makePrivateFolder(this.root)
    const path = join(this.root, `${this.#own}-${randomUUID()}.tmp`)
    const drop = () => rm(path, {force: true})
    try {
      const target = await this.#onDisk(open(path, "wx", 0o600))
      const counted = await this.#writeAll(target, pieces).finally(() => target.close())
      return {...counted, keep: () => this.#onDisk(this.#keep(path, counted)), drop}
    } catch (cause) {
      await drop().catch(() => {})
      throw cause
    }
  }

  async remove(sha256: string): Promise<void> {
    await rm(this.pathOf(sha256), {force: true})
  }

  /** Removes what others left behind that died while writing. The caller must hold the project. */
  async cleanUp(): Promise<void> {
    for (const name of await namesIn(this.root))
      if (temporary.test(name) && !name.startsWith(this.#own)) await rm(join(this.root, name), {force: true})
  }

  /** Yields the hashes of the files, one subfolder at a time. */
  async *list(): AsyncGenerator<readonly string[]> {
    for (const name of await namesIn(this.root)) {
      if (!/^[0-9a-f]{2}$/.test(name)) continue
      yield (await namesIn(join(this.root, name))).filter(each => /^[0-9a-f]{64}$/.test(each))
    }
  }

  /** Trusts an existing file of the right size. Replaces one of another size, which is damaged. */
  async #keep(path: string, {sha256, size}: {readonly sha256: string; readonly size: number}): Promise<void> {
    if ((await this.sizeOf(sha256)) === size) return await rm(path, {force: true})
    const folder = join(this.root, sha256.slice(0, 2))
    await makePrivateFolder(folder)
    await rename(path, this.pathOf(sha256))
    await syncFolder(folder)
  }

  async #writeAll(target: FileHandle, pieces: AsyncIterable<Uint8Array>) {
    const sum = createHash("sha256")
    let size = 0
    for await (const piece of pieces) {
      sum.update(piece)
      await this.#onDisk(target.writeFile(piece))
      size += piece.length
    }
    await this.#onDisk(target.sync())
    return {sha256: sum.digest("hex"), size}
  }

  /** Converts an error of the disk, but not one of reading the pieces. Throws `state_unwritable`. */
  #onDisk<T>(work: Promise<T>): Promise<T> {
    return work.catch(cause => {
      throw cause instanceof Error && "syscall" in cause ? unwritable(this.root, cause) : cause
    })
  }
}

/**
 * Yields a file in pieces, up to `most` bytes. Each piece is valid until the next one is requested. Throws the errors
 * of reading, and for a link, since the inspected file was not a link.
 */
export async function* piecesOf(path: string, most = Number.POSITIVE_INFINITY): AsyncGenerator<Uint8Array> {
  const source = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const chunk = Buffer.allocUnsafe(chunkSize)
    for (let left = most; left > 0; ) {
      const {bytesRead} = await source.read(chunk, 0, Math.min(chunkSize, left), null)
      if (bytesRead === 0) return
      left -= bytesRead
      yield chunk.subarray(0, bytesRead)
    }
  } finally {
    await source.close()
  }
}

/** Yields bytes from memory in pieces. */
export async function* piecesIn(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += chunkSize) yield bytes.subarray(from, from + chunkSize)
}

/** Returns the SHA-256 of pieces. */
export const hashOf = async (pieces: AsyncIterable<Uint8Array>): Promise<string> => {
  const sum = createHash("sha256")
  for await (const piece of pieces) sum.update(piece)
  return sum.digest("hex")
}

const namesIn = async (folder: string): Promise<readonly string[]> => (await ifThere(readdir(folder))) ?? []

const unwritable = (folder: string, cause: unknown): Problem =>
  new Problem("state_unwritable", `the file was not stored in ${folder}: ${messageOf(cause)}`, {
    cause,
    hint: "Make data/files/ a folder that the Host's user owns, on a disk with free space.",
  })
