import {Problem} from "../../../shared/problems.ts"
import {type FileState, lookAt} from "../../runtime/files.ts"

/** Why the database acknowledges nothing more: its files do not have what the Host has stored. */
export const displaced = (path: string, how: string): Problem =>
  new Problem("database_replaced", `${path} was ${how} while the Host had it open; it acknowledges and sends nothing`)

/** A log of at least this size, in bytes, may be truncated to it by SQLite. */
export const logLimit = 16 * 1024 * 1024

type States = readonly (FileState | undefined)[]

/**
 * The files that SQLite has open for one database. It inspects the paths but never opens them: closing a descriptor
 * drops SQLite's POSIX locks on its file. An open file keeps its inode, so no other file can have the same. Only this
 * process writes to the database and its log, so their sizes and times stay as it left them.
 */
export class Place {
  readonly #paths: readonly string[]
  #own: string | undefined
  /** How this process left the database, its log and the log's index; undefined for a file that may be missing. */
  #left: States = []
  #isWriting = false
  #mayEmpty = false
  #lost: Problem | undefined
  #wasTouched = false

  constructor(file: string) {
    this.#paths = [file, `${file}-wal`, `${file}-shm`]
  }

  /** Call it once a new connection has read: then log and index exist. The database itself must stay the same file. */
  take(): void {
    this.#left = this.#look()
    this.#own ??= this.#left[0]?.identity
  }

  /** Call it before the connection is closed: SQLite removes the log and its index. */
  leaveBesides(): void {
    this.#left = this.#left.slice(0, 1)
  }

  /** True once after another program has written to a file of this size. */
  wasTouched(): boolean {
    const was = this.#wasTouched
    this.#wasTouched = false
    return was
  }

  /** Does work that may change the files. `empties` may empty the log; `sizeOf` returns the size of all pages. */
  async during<T>(work: () => Promise<T>, sizeOf: () => Promise<number>, empties = false): Promise<T> {
    this.#isWriting = true
    this.#mayEmpty = empties
    try {
      return await work()
    } finally {
      const now = this.#look()
      // A checkpoint shortens the file to the size of its pages.
      const isShort =
        (now[0]?.size ?? 0) < (this.#left[0]?.size ?? 0) && now[0]?.size !== (await sizeOf().catch(() => -1))
      this.#lost ??=
        this.#displacedIn(now) ?? this.#shortLog(now) ?? (isShort ? displaced(this.#pathOf(0), "truncated") : undefined)
      this.#left = now
      this.#isWriting = false
    }
  }

  /** Why a file is lost; undefined while each path names its file as it was left. Takes 2 microseconds a path. */
  whyLost(): Problem | undefined {
    if (this.#own === undefined || this.#lost !== undefined) return this.#lost
    const now = this.#look()
    this.#lost = this.#displacedIn(now) ?? (this.#isWriting ? this.#shortLog(now) : this.#changedIn(now))
    return this.#lost
  }

  /** True once `whyLost` has found why. */
  get isLost(): boolean {
    return this.#lost !== undefined
  }

  #look(): States {
    return this.#paths.map(lookAt)
  }

  #pathOf(index: number): string {
    return this.#paths[index] ?? ""
  }

  #displacedIn(now: States): Problem | undefined {
    for (const [index, path] of this.#paths.entries()) {
      const was = index === 0 ? this.#own : this.#left[index]?.identity
      const is = now[index]?.identity
      if (was !== undefined && is !== was) return displaced(path, is === undefined ? "removed" : "replaced")
    }
    return undefined
  }

  /** Between two writes of this process. */
  #changedIn(now: States): Problem | undefined {
    for (const [index, path] of this.#paths.slice(0, 2).entries()) {
      const [was, is] = [this.#left[index], now[index]]
      if (was === undefined || is === undefined) continue
      if (is.size < was.size) return displaced(path, "truncated")
      // Only this process copies the log into the file. Another program may append to the log, which harms nothing.
      if (is.size > was.size && index === 0) return displaced(path, "overwritten")
      if (is.changedAt !== was.changedAt) this.#wasTouched = true
    }
    this.#left = now
    return undefined
  }

  /** SQLite itself shortens a log only to its limit. */
  #shortLog(now: States): Problem | undefined {
    const [was, is] = [this.#left[1], now[1]]
    if (this.#mayEmpty || was === undefined || is === undefined) return undefined
    if (is.size >= Math.min(was.size, logLimit)) return undefined
    return displaced(this.#pathOf(1), "truncated")
  }
}
