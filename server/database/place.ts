import {Problem} from "../../shared/problems.ts"
import {identityOf} from "../runtime/files.ts"

/** Why the database acknowledges nothing more: the path names another file. */
const displaced = (path: string, how: string): Problem =>
  new Problem(
    "database_replaced",
    `${path} was ${how} while the Host had it open; the Host acknowledges no events and sends no messages`,
  )

/**
 * Which files SQLite has open for one database, by device and inode. It inspects the paths but never opens them:
 * closing a descriptor drops SQLite's POSIX locks on its file. An open file keeps its inode, so no other file can have
 * the same.
 */
export class Place {
  readonly #file: string
  readonly #beside: readonly string[]
  #own: string | undefined
  #besides: (string | undefined)[] = []

  constructor(file: string) {
    this.#file = file
    this.#beside = [`${file}-wal`, `${file}-shm`]
  }

  /**
   * Call it once a new connection has read, when the log and its index exist. The database itself must stay the same
   * file.
   */
  take(): void {
    this.#own ??= identityOf(this.#file)
    this.#besides = this.#beside.map(identityOf)
  }

  /** Call it before the connection is closed: SQLite removes the log and its index. */
  leaveBesides(): void {
    this.#besides = []
  }

  /** Why a file is lost; undefined while each path names its file. Takes 2 microseconds a path. */
  whyLost(): Problem | undefined {
    if (this.#own === undefined) return undefined
    const own = identityOf(this.#file)
    if (own !== this.#own) return displaced(this.#file, howLost(own))
    for (const [index, was] of this.#besides.entries()) {
      const path = this.#beside[index] ?? ""
      const now = identityOf(path)
      if (was === undefined) this.#besides[index] = now
      else if (now !== was) return displaced(path, howLost(now))
    }
    return undefined
  }
}

const howLost = (now: string | undefined): string => (now === undefined ? "removed" : "replaced")
