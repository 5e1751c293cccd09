import {createHash, randomUUID} from "node:crypto"
import {constants, type FileHandle, open, readdir, rename, rm, stat} from "node:fs/promises"
import {join} from "node:path"
import {messageOf, Problem} from "../../shared/problems.ts"
import {isMissing, makePrivateFolder, syncFolder} from "../runtime/files.ts"

/** Pieces in which files are read, in bytes. */
const chunkSize = 256 * 1024

/** Where a stored file is in the folder of all of them, and in a checkpoint: `<aa>/<sha256>`. */
export const storedName = (sha256: string): string => `${sha256.slice(0, 2)}/${sha256}`

/** What stands in the folder of files besides them: written to, and not renamed yet. */
const temporary = /^\..*\.tmp$/

/** Bytes whose SHA-256 is known, on their way to their name. */
export interface Written {
  readonly sha256: string
  readonly size: number
  /** Gives them their name, durably; bytes that are there already stay. */
  keep(): Promise<void>
  /** Removes them, unless they were kept. */
  drop(): Promise<void>
}

/** Files by the SHA-256 of their content. Whole and durable under their name, or not there. */
export class FileFolder {
  readonly root: string

  /** `root` is made when the first file is written. */
  constructor(root: string) {
    this.root = root
  }

  pathOf(sha256: string): string {
    return join(this.root, storedName(sha256))
  }

  /** The size of a stored file; undefined where it is not there. */
  async sizeOf(sha256: string): Promise<number | undefined> {
    const found = await stat(this.pathOf(sha256)).catch(error => {
      if (isMissing(error)) return undefined
      throw error
    })
    return found?.size
  }

  /** Writes bytes, durably, under a name that is none yet. Throws `state_unwritable`, and what `pieces` throws. */
  async write(pieces: AsyncIterable<Uint8Array>): Promise<Written> {
    await makePrivateFolder(this.root)
    const path = join(this.root, `.${randomUUID()}.tmp`)
    const drop = () => rm(path, {force: true})
    try {
      const target = await open(path, "wx", 0o600)
      const counted = await writeAll(target, pieces).finally(() => target.close())
      return {...counted, keep: () => this.#keep(path, counted), drop}
    } catch (cause) {
      await drop().catch(() => {})
      throw isSystemError(cause) ? unwritable(this.root, cause) : cause
    }
  }

  async remove(sha256: string): Promise<void> {
    await rm(this.pathOf(sha256), {force: true})
  }

  /** Removes what a process left that died while it wrote. Only for who holds the project. */
  async cleanUp(): Promise<void> {
    for (const name of await namesIn(this.root))
      if (temporary.test(name)) await rm(join(this.root, name), {force: true})
  }

  /** The files by their hashes, one folder of them at a time. */
  async *list(): AsyncGenerator<readonly string[]> {
    for (const name of await namesIn(this.root)) {
      if (!/^[0-9a-f]{2}$/.test(name)) continue
      yield (await namesIn(join(this.root, name))).filter(each => /^[0-9a-f]{64}$/.test(each))
    }
  }

  /** A file of the right size is taken for what its name says; one of another size was damaged, and is replaced. */
  async #keep(path: string, {sha256, size}: {readonly sha256: string; readonly size: number}): Promise<void> {
    try {
      if ((await this.sizeOf(sha256)) === size) return await rm(path, {force: true})
      const folder = join(this.root, sha256.slice(0, 2))
      await makePrivateFolder(folder)
      await rename(path, this.pathOf(sha256))
      await syncFolder(folder)
    } catch (cause) {
      throw isSystemError(cause) ? unwritable(this.root, cause) : cause
    }
  }
}

const writeAll = async (target: FileHandle, pieces: AsyncIterable<Uint8Array>) => {
  const sum = createHash("sha256")
  let size = 0
  for await (const piece of pieces) {
    sum.update(piece)
    await target.writeFile(piece)
    size += piece.length
  }
  await target.sync()
  return {sha256: sum.digest("hex"), size}
}

/**
 * A file in pieces, up to `most` bytes; each is valid until the next one is asked for. Throws what reading it throws, and for a
 * link: what was looked at before was none.
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

/** Bytes in memory, in pieces. */
export async function* piecesIn(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += chunkSize) yield bytes.subarray(from, from + chunkSize)
}

/** The SHA-256 of pieces. */
export const hashOf = async (pieces: AsyncIterable<Uint8Array>): Promise<string> => {
  const sum = createHash("sha256")
  for await (const piece of pieces) sum.update(piece)
  return sum.digest("hex")
}

const namesIn = async (folder: string): Promise<readonly string[]> =>
  readdir(folder).catch(error => {
    if (isMissing(error)) return []
    throw error
  })

const isSystemError = (cause: unknown) => cause instanceof Error && "syscall" in cause

const unwritable = (folder: string, cause: unknown): Problem =>
  new Problem("state_unwritable", `the file was not stored in ${folder}: ${messageOf(cause)}`, {
    cause,
    hint: "Make data/files/ a folder that the Host's user owns, on a disk with free space.",
  })
