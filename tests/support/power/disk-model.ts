import type {Chance} from "../machine/chance.ts"
import type {DiskEvent} from "./traced-disk.ts"

/** The unit that a disk writes completely or not at all, in bytes. */
const sector = 512

interface Version<T> {
  /** The event that made this version. */
  readonly event: number
  readonly value: T
  /** Its sync failed: a later sync does not bring it to the disk. */
  isLost: boolean
}

/** The value on the disk, and the later ones that were handed to the system. Any of those may have reached the disk. */
class Versions<T> {
  #durable: T
  #later: Version<T>[] = []

  constructor(durable: T) {
    this.#durable = durable
  }

  get newest(): T {
    return this.#later.at(-1)?.value ?? this.#durable
  }

  set(event: number, value: T): void {
    this.#later.push({event, value, isLost: false})
  }

  sync(until: number): void {
    const synced = this.#later.findLastIndex(({event, isLost}) => event <= until && !isLost)
    if (synced < 0) return
    this.#durable = this.#later[synced]?.value ?? this.#durable
    this.#later = this.#later.slice(synced + 1)
  }

  lose(until: number): void {
    for (const version of this.#later) if (version.event <= until) version.isLost = true
  }

  pick(chance: Chance): T {
    const kept = chance.below(this.#later.length + 1)
    return kept === 0 ? this.#durable : (this.#later[kept - 1]?.value ?? this.#durable)
  }
}

const zeros = new Uint8Array(sector)

/** A file by sectors. Its size and each sector reach the disk in any order. */
class ModelFile {
  readonly #sectors: Versions<Uint8Array>[] = []
  readonly #size: Versions<number>

  constructor(content: Uint8Array) {
    this.#size = new Versions(content.length)
    for (let at = 0; at < content.length; at += sector) this.#sectors.push(new Versions(sectorOf(content, at)))
  }

  write(event: number, at: number, bytes: Uint8Array): void {
    for (let index = Math.floor(at / sector); index * sector < at + bytes.length; index++) {
      const versions = this.#sectorAt(index)
      const value = Uint8Array.from(versions.newest)
      const from = Math.max(at, index * sector)
      const to = Math.min(at + bytes.length, (index + 1) * sector)
      value.set(bytes.subarray(from - at, to - at), from - index * sector)
      versions.set(event, value)
    }
    if (at + bytes.length > this.#size.newest) this.#size.set(event, at + bytes.length)
  }

  truncate(event: number, size: number): void {
    if (size === this.#size.newest) return
    this.#size.set(event, size)
    for (let index = Math.floor(size / sector); index < this.#sectors.length; index++) {
      const versions = this.#sectorAt(index)
      const value = Uint8Array.from(versions.newest)
      value.fill(0, Math.max(0, size - index * sector))
      versions.set(event, value)
    }
  }

  each(work: (versions: Pick<Versions<unknown>, "sync" | "lose">) => void): void {
    work(this.#size)
    for (const versions of this.#sectors) work(versions)
  }

  pick(chance: Chance): Uint8Array {
    const size = this.#size.pick(chance)
    const content = new Uint8Array(Math.ceil(size / sector) * sector)
    for (let index = 0; index * sector < size; index++) content.set(this.#sectorAt(index).pick(chance), index * sector)
    return content.subarray(0, size)
  }

  #sectorAt(index: number): Versions<Uint8Array> {
    while (this.#sectors.length <= index) this.#sectors.push(new Versions(zeros))
    const found = this.#sectors[index]
    if (found === undefined) throw new Error("no sector")
    return found
  }
}

const sectorOf = (content: Uint8Array, at: number): Uint8Array => {
  const bytes = new Uint8Array(sector)
  bytes.set(content.subarray(at, at + sector))
  return bytes
}

/** A disk that may lose power after any event. Anything without a sync reaches it in part, by chance. */
export class ModelDisk {
  readonly #files = new Map<string, ModelFile>()
  readonly #syncs = new Map<string, {readonly file: string; readonly event: number}>()
  #events = 0

  /** `files` are on the disk before the first event. */
  constructor(files: ReadonlyMap<string, Uint8Array>) {
    for (const [name, content] of files) this.#files.set(name, new ModelFile(content))
  }

  take(event: DiskEvent): void {
    const number = ++this.#events
    if (event.is === "write") this.#file(event.file).write(number, event.at, event.bytes)
    else if (event.is === "truncate") this.#file(event.file).truncate(number, event.size)
    else if (event.is === "sync begun") this.#syncs.set(event.thread, {file: event.file, event: number})
    else if (event.is === "sync ended") this.#end(event.thread, event.isDone)
  }

  /** The content of the disk after a loss of power now. */
  lose(chance: Chance): ReadonlyMap<string, Uint8Array> {
    return new Map([...this.#files].map(([name, file]) => [name, file.pick(chance)]))
  }

  #end(thread: string, isDone: boolean): void {
    const sync = this.#syncs.get(thread)
    this.#syncs.delete(thread)
    if (sync === undefined) return
    this.#file(sync.file).each(versions => (isDone ? versions.sync(sync.event) : versions.lose(sync.event)))
  }

  #file(name: string): ModelFile {
    const found = this.#files.get(name) ?? new ModelFile(new Uint8Array())
    this.#files.set(name, found)
    return found
  }
}
