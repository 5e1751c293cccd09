import {basename} from "node:path"
import type {Log} from "../../../shared/log.ts"
import {messageOf, Problem} from "../../../shared/problems.ts"
import {refused} from "../../../shared/sdk/adapter/refusal.ts"
import type {StoredFile} from "../../../shared/sdk/content/file-source.ts"
import type {Database} from "../../database/database.ts"
import {Periodic} from "../../runtime/flow/periodic.ts"
import type {FileContent} from "./content.ts"
import {FileFolder, hashOf, type Written} from "./folder.ts"
import {Lease, Pins} from "./lease.ts"
import {Room} from "./room.ts"
import {type FileRow, type FileUsage, forgetting, readOrphans, readUnknown, readUsage, storing} from "./rows.ts"
import {streamOf} from "./stream.ts"

export interface FileStoreOptions {
  readonly folder: string
  readonly database: Database
  /** The largest total size of all files, in bytes. */
  readonly quota: () => number
  /** Reports failed deletions; left out if no Host runs. */
  readonly log?: Log
}

/** A completely received file that is not stored yet. */
export interface Received {
  /** Stores it with its row; durable when it resolves. Throws `state_unwritable`. */
  keep(lease: Lease): Promise<FileRow>
  /** Removes it unless it was kept, and frees its room. Calling it more than once is harmless. */
  drop(): Promise<void>
}

/** How long an unneeded file is kept, in milliseconds: a job may run for a day before it ends. */
export const orphanAge = 25 * 3_600_000

/** The interval of the search for orphans, in milliseconds. */
const every = 600_000

/** How many orphans to read at a time. */
const chunk = 100

/**
 * The files of a running Host. A file is durable under its hash, and its row is stored, before anything may reference
 * it. Files are removed one at a time: first the row, then the bytes. The next start removes what a crash leaves in
 * between.
 */
export class FileStore {
  readonly folder: FileFolder
  readonly #options: FileStoreOptions
  readonly #pins = new Pins()
  readonly #periodic: Periodic
  readonly #room: Room
  #turn: Promise<unknown> = Promise.resolve()
  #holds = 0
  #isStopping = false

  constructor(options: FileStoreOptions) {
    this.#options = options
    this.folder = new FileFolder(options.folder)
    this.#room = new Room(() => this.usage(), options.quota)
    this.#periodic = new Periodic(
      every,
      () => this.sweep(),
      error => options.log?.warn(`deleting unneeded files failed: ${messageOf(error)}`),
    )
  }

  /** Removes unfinished files of an earlier run, and starts removing orphans. */
  async start(): Promise<void> {
    const {log} = this.#options
    await this.folder.cleanUp().catch(error => log?.warn(`deleting unfinished files failed: ${messageOf(error)}`))
    this.#removeUnknown().catch(error => log?.warn(`deleting files without a row failed: ${messageOf(error)}`))
    this.#periodic.start()
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#periodic.stop()
    await this.#turn.catch(() => {})
  }

  /** Returns a new lease. Files stored under it stay until it is released. */
  lease(): Lease {
    return new Lease(this.#pins)
  }

  /** Stores content once; durable with its row. Throws `files_full`, `state_unwritable`, and errors of reading it. */
  async put(content: FileContent, lease: Lease): Promise<FileRow> {
    this.#requireOpen()
    const {size} = content
    if (!(await this.#room.take(size))) return this.#putKnown(content, lease)
    try {
      const written = await this.folder.write(content.pieces())
      try {
        return await this.#keep(written, lease)
      } finally {
        await written.drop().catch(() => {})
      }
    } finally {
      this.#room.free(size)
    }
  }

  /** Receives a file and keeps it. Throws the errors of `receive`. */
  async take(pieces: AsyncIterable<Uint8Array>, lease: Lease): Promise<FileRow> {
    const received = await this.receive(pieces)
    try {
      return await received.keep(lease)
    } finally {
      await received.drop()
    }
  }

  /**
   * Writes a stream that can be read only once. It takes room as it arrives. If it ends early, or is not kept, nothing
   * of it remains. Throws `files_full`, `state_unwritable`, and the errors of reading it.
   */
  async receive(pieces: AsyncIterable<Uint8Array>): Promise<Received> {
    this.#requireOpen()
    const counted = this.#room.counting(pieces)
    try {
      const written = await this.folder.write(counted.pieces)
      const drop = () => written.drop().catch(() => {})
      return {keep: lease => this.#keep(written, lease).finally(counted.free), drop: () => drop().finally(counted.free)}
    } catch (error) {
      counted.free()
      throw error
    }
  }

  /** Returns a stored file and keeps it until the lease is released; undefined if it is missing. */
  async claim(sha256: string, lease: Lease): Promise<FileRow | undefined> {
    lease.pin(sha256)
    const size = await this.#alone(() => this.folder.sizeOf(sha256))
    if (size === undefined || (await readUnknown(this.#options.database, [sha256])).length > 0) return undefined
    return {sha256, size}
  }

  /** Opens a stored file for reading. Throws a refusal if it is missing. */
  async open(sha256: string, about: {readonly name?: string; readonly type?: string} = {}): Promise<StoredFile> {
    const path = this.folder.pathOf(sha256)
    const size = await this.folder.sizeOf(sha256)
    if (size === undefined) {
      throw refused(`the file ${sha256.slice(0, 12)}… is missing from data/files/`, {
        reason: "file_missing",
        remediation: "Restore data/files/ from a checkpoint, or discard the message.",
      })
    }
    const {name = basename(path).slice(0, 12), type = "application/octet-stream"} = about
    return {sha256, size, name, type, stream: () => streamOf(path)}
  }

  usage(): Promise<FileUsage> {
    return readUsage(this.#options.database)
  }

  get quota(): number {
    return this.#options.quota()
  }

  /** Prevents removals until the function is called that it resolves to. */
  async hold(): Promise<() => void> {
    this.#holds++
    let isHeld = true
    await this.#alone(async () => {})
    return () => {
      if (isHeld) this.#holds--
      isHeld = false
    }
  }

  /** Removes files that no row needs, a day after their storage; those of a redaction at once. Returns how many. */
  async sweep(now = Date.now()): Promise<number> {
    const before = now - orphanAge
    let removed = 0
    for (let after = ""; ; ) {
      if (this.#isStopping || this.#holds > 0) return removed
      const orphans = await readOrphans(this.#options.database, before, after, chunk)
      for (const sha256 of orphans) if (await this.#removeOrphan(sha256, before)) removed++
      const last = orphans.at(-1)
      if (last === undefined || orphans.length < chunk) return removed
      after = last
    }
  }

  #requireOpen(): void {
    if (this.#isStopping) throw new Problem("stopping", "the Host stores no more files")
  }

  /** Over the quota, only content that is already stored can be stored again. */
  async #putKnown({size, pieces}: FileContent, lease: Lease): Promise<FileRow> {
    const sha256 = await hashOf(pieces())
    lease.pin(sha256)
    const isKnown = await this.#alone(async () => {
      if ((await this.folder.sizeOf(sha256)) !== size) return false
      if ((await readUnknown(this.#options.database, [sha256])).length > 0) return false
      await this.#store({sha256, size})
      return true
    })
    if (isKnown) return {sha256, size}
    throw await this.#room.full(`a file of ${size} bytes`)
  }

  async #keep(written: Written, lease: Lease): Promise<FileRow> {
    const {sha256, size} = written
    lease.pin(sha256)
    await this.#alone(async () => {
      await written.keep()
      await this.#store(written)
    })
    return {sha256, size}
  }

  async #store({sha256, size}: FileRow): Promise<void> {
    await this.#options.database.write([storing({sha256, size}, Date.now())])
  }

  async #removeOrphan(sha256: string, before: number): Promise<boolean> {
    return this.#alone(async () => {
      if (this.#pins.has(sha256) || this.#holds > 0) return false
      const [forgotten] = await this.#options.database.write([forgetting(sha256, before)])
      if (forgotten?.rows.length !== 1) return false
      await this.folder.remove(sha256)
      return true
    })
  }

  /** Removes files without a row, which a crash between two steps left behind. */
  async #removeUnknown(): Promise<void> {
    for await (const hashes of this.folder.list()) {
      if (this.#isStopping) return
      await this.#alone(async () => {
        if (this.#holds > 0) return
        const unknown = await readUnknown(this.#options.database, hashes)
        for (const sha256 of unknown) if (!this.#pins.has(sha256)) await this.folder.remove(sha256)
      })
    }
  }

  /** Runs one step at a time, so that a file is not removed while it is being stored. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work, work)
    this.#turn = done.catch(() => {})
    return done
  }
}
