import {fdatasync, fstatSync, fsync, openSync, read, write} from "node:fs"
import {promisify} from "node:util"

const syncData = promisify(fdatasync)
const syncAll = promisify(fsync)
const readAt = promisify(read)
const writeAt = promisify(write)

/** How many bytes to read and rewrite at once. */
const chunk = 1024 * 1024

/**
 * A second descriptor of a file that SQLite has open. The runtime's thread pool syncs the file through it. It stays
 * open until the process ends, since closing a descriptor of the database would drop SQLite's POSIX locks on it.
 */
export class SyncedFile {
  readonly #descriptor: number

  constructor(path: string) {
    this.#descriptor = openSync(path, "r+")
  }

  /** Returns device and inode in the format of `identityOf`. */
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

  /** Syncs the data and the file's own metadata, which a truncation changes. */
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

  /** Writes the content of the file again, so that the system marks it as changed. */
  async rewrite(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const {bytesWritten} = await writeAt(this.#descriptor, bytes, at, Math.min(chunk, bytes.length - at), at)
      at += bytesWritten
    }
  }
}
