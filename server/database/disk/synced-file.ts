import {fdatasync, fstatSync, fsync, openSync, read, write} from "node:fs"
import {promisify} from "node:util"

const syncData = promisify(fdatasync)
const syncAll = promisify(fsync)
const readAt = promisify(read)
const writeAt = promisify(write)

/** So many bytes are read and written again at once. */
const chunk = 1024 * 1024

/**
 * A second descriptor of a file that SQLite has open, through which the runtime's thread pool syncs it. It stays open until the
 * process ends: closing a descriptor of the database would drop SQLite's POSIX locks on it.
 */
export class SyncedFile {
  readonly #descriptor: number

  constructor(path: string) {
    this.#descriptor = openSync(path, "r+")
  }

  /** Device and inode, as `identityOf` gives them for a path. */
  get identity(): string {
    const {dev, ino} = fstatSync(this.#descriptor, {bigint: true})
    return `${dev} ${ino}`
  }

  get size(): number {
    return fstatSync(this.#descriptor).size
  }

  sync(): Promise<void> {
    return syncData(this.#descriptor)
  }

  /** With what a truncation has changed of the file itself. */
  syncWhole(): Promise<void> {
    return syncAll(this.#descriptor)
  }

  async readAll(): Promise<Uint8Array> {
    const bytes = new Uint8Array(this.size)
    for (let at = 0; at < bytes.length; ) {
      const {bytesRead} = await readAt(this.#descriptor, bytes, at, Math.min(chunk, bytes.length - at), at)
      if (bytesRead === 0) throw new Error("the file ended while it was read")
      at += bytesRead
    }
    return bytes
  }

  /** Writes what the file holds once more, so that the system takes it for changed. */
  async rewrite(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const {bytesWritten} = await writeAt(this.#descriptor, bytes, at, Math.min(chunk, bytes.length - at), at)
      at += bytesWritten
    }
  }
}
