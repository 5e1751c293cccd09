import {type FileHandle, open} from "node:fs/promises"
import type {Log} from "../../../shared/log.ts"
import {messageOf} from "../../../shared/problems.ts"
import {readFileIfExists, syncFolder, writeFileAtomic} from "../../runtime/files.ts"
import {Acknowledged} from "./acknowledged.ts"
import {type Catalog, parseCatalog} from "./catalog.ts"
import {openFiles} from "./file-open.ts"
import {frame} from "./frames.ts"
import {listSegments, readSegments, type Segment, type StorePaths, segmentAt, storePaths} from "./segments.ts"
import {damaged, type Group, type Kept, type Opened, type Store} from "./store.ts"

export interface FileStoreOptions {
  /** The folder of `workroom-catalog.json` and `workroom-journal/`. */
  readonly folder: string
  /** Logs a Catalog that could not be written. Nothing is lost: Journal and acknowledged number have everything. */
  readonly log?: Pick<Log, "warn">
  /** A segment of at least this many bytes takes no further record. */
  readonly segmentSize?: number
  /** The Catalog is rewritten after this many bytes of Journal, or after its own size in bytes if that is larger. */
  readonly catalogAfter?: number
}

interface Active {
  readonly segment: Segment
  readonly file: FileHandle
  size: number
}

/**
 * The store in the files `workroom-catalog.json` and `workroom-journal/`. A group is one write and one fdatasync of the
 * segment. Then the acknowledged number is written, and only then are the commands answered. The Catalog's file is
 * updated at intervals.
 */
export class FileStore implements Store {
  readonly kind = "file"
  readonly paths: StorePaths
  readonly #log: Pick<Log, "warn"> | undefined
  readonly #segmentSize: number
  readonly #catalogAfter: number
  #authority = ""
  #active: Active | undefined
  #acknowledged: Acknowledged | undefined
  /** Nothing may be written until the store is reopened. */
  #broken = false
  #catalogBytes = 0
  #sinceCatalog = 0
  #keeping: Promise<void> | undefined

  constructor({folder, log, segmentSize = 8 * 1024 * 1024, catalogAfter = 1024 * 1024}: FileStoreOptions) {
    this.paths = storePaths(folder)
    this.#log = log
    this.#segmentSize = segmentSize
    this.#catalogAfter = catalogAfter
  }

  async open(authority: string, known?: Catalog): Promise<Opened> {
    await this.#letGo()
    const opened = await openFiles(this.paths, authority, known === undefined ? "keep" : "take back")
    const {catalog, active} = opened
    if (active !== undefined) {
      this.#active = {...active, file: await open(active.segment.path, "r+")}
    }
    this.#acknowledged = new Acknowledged(this.paths.acknowledged, catalog)
    this.#authority = authority
    this.#broken = false
    // If the last process did not write its Catalog, it is written after the next group.
    this.#sinceCatalog = catalog.head.seq > opened.keptSeq ? Number.POSITIVE_INFINITY : 0
    return opened
  }

  async append({before, after, records}: Group): Promise<void> {
    if (this.#broken || this.#acknowledged === undefined) throw new Error("the store is not open")
    const bytes = frame(records.map(({text}) => text))
    this.#broken = true
    const active = await this.#activeFor(before.seq + 1)
    await writeAll(active.file, bytes, active.size)
    await active.file.datasync()
    if (active.size === 0) await syncFolder(this.paths.journal)
    active.size += bytes.length
    for (const {record} of records) if (record.command.is === "authority") this.#authority = record.command.to
    this.#acknowledged.write({...after, authority: this.#authority})
    this.#sinceCatalog += bytes.length
    this.#broken = false
  }

  async read(from: number, upTo: number, take: (text: string) => void): Promise<void> {
    const segments = (await listSegments(this.paths.journal)).filter(({first}) => first <= upTo)
    const skipped = segments.findLastIndex(({first}) => first <= from)
    let next = segments[skipped]?.first ?? 1
    const end = await readSegments(
      segments.slice(Math.max(0, skipped)),
      () => next,
      text => {
        if (next > upTo) return "enough"
        if (next >= from) take(text)
        next++
        return undefined
      },
    )
    if (next <= upTo)
      throw damaged(`record ${next} in ${end.segment?.name ?? "no segment"}: ${end.wrong ?? "it is missing"}`)
  }

  keep(catalog: Catalog): void {
    if (this.#sinceCatalog < Math.max(this.#catalogAfter, this.#catalogBytes) || this.#keeping !== undefined) return
    this.#keeping = this.#writeCatalog(catalog)
      .catch(error => this.#log?.warn(`the Host could not write the workroom's Catalog: ${messageOf(error)}`))
      .finally(() => {
        this.#keeping = undefined
      })
  }

  async kept(): Promise<Kept> {
    const text = (await readFileIfExists(this.paths.catalog)) ?? ""
    return {seq: parseCatalog(text)?.head.seq ?? 0, text}
  }

  async close(catalog: Catalog): Promise<void> {
    await this.#keeping
    if (!this.#broken && this.#sinceCatalog > 0) {
      await this.#acknowledged?.flush()
      await this.#writeCatalog(catalog)
    }
    await this.#letGo()
    this.#broken = true
  }

  async #writeCatalog(catalog: Catalog): Promise<void> {
    const text = catalog.text()
    this.#sinceCatalog = 0
    this.#catalogBytes = text.length
    await writeFileAtomic(this.paths.catalog, text).catch(error => {
      // Retried at the next interval and on close: the Journal and the acknowledged number have everything.
      this.#sinceCatalog = 1
      throw error
    })
  }

  /** The segment for the next record. Before it leaves a full one, it flushes the acknowledged number to the disk. */
  async #activeFor(first: number): Promise<Active> {
    const active = this.#active
    if (active !== undefined && active.size < this.#segmentSize) return active
    await this.#acknowledged?.flush()
    await active?.file.close()
    this.#active = undefined
    const segment = segmentAt(this.paths.journal, first)
    const next = {segment, file: await open(segment.path, "wx", 0o600), size: 0}
    this.#active = next
    return next
  }

  async #letGo(): Promise<void> {
    await this.#keeping
    await this.#active?.file.close().catch(() => {})
    await this.#acknowledged?.close().catch(() => {})
    this.#active = undefined
    this.#acknowledged = undefined
  }
}

const writeAll = async (file: FileHandle, bytes: Buffer, position: number): Promise<void> => {
  for (let written = 0; written < bytes.length; ) {
    const {bytesWritten} = await file.write(bytes, written, bytes.length - written, position + written)
    written += bytesWritten
  }
}
