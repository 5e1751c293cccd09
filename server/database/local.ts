import {setImmediate as turn} from "node:timers/promises"
import {messageOf, Problem} from "../../shared/problems.ts"
import {SlowDisk} from "./disk/slow-disk.ts"
import {toAllBound, toBound, toDriver, toResult} from "./engine/driver-values.ts"
import {
  type Engine,
  type EngineWatcher,
  type HeldFile,
  type Purged,
  type Result,
  type Row,
  type Statement,
  StatementFailed,
  storingGroup,
} from "./engine/engine.ts"
import {
  databaseProblem,
  indexOf,
  isDamage,
  isDiskError,
  isStatementError,
  isValueError,
  readingProblem,
} from "./engine/errors.ts"
import {logLimit, Place} from "./engine/place.ts"
import {createKeepingClient, type LocalClient} from "./engine/prepared.ts"
import {prepareFile, requireWhole, rescueInto, sizeOf} from "./engine/rescue.ts"
import {removeUnfinished} from "./upkeep/compact.ts"

/** How long to wait for another process's lock, in milliseconds. The wait blocks: the Host stands still meanwhile. */
const busyTimeout = 250

/** A purge rewrites a file up to this number of bytes within the call, which blocks all else for a second at most. */
const largestRewritten = 64 * 1024 * 1024

/**
 * Opens the database file on the only connection that writes and checkpoints. A scratch file is not synced, since its
 * data need not survive a crash of the machine. Throws `database_unopenable`, `database_corrupt`.
 */
export const openLocal = async (file: string, {isScratch = false} = {}): Promise<Engine> => {
  removeUnfinished(file)
  prepareFile(file)
  try {
    const client = createKeepingClient(file, busyTimeout)
    const disk = new SlowDisk(client, file, busyTimeout)
    const place = new Place(file)
    const engine = new LocalEngine(client, place, disk, isScratch)
    await engine.prepare()
    // Detects another writer here, where the error names the file, instead of at the first change.
    await (await client.transaction("write")).rollback()
    await requireWhole(client, file)
    place.take()
    return engine
  } catch (cause) {
    throw databaseProblem(cause, `cannot open ${file}`, "database_unopenable")
  }
}

class LocalEngine implements Engine {
  readonly canEndBetween = true
  readonly held: HeldFile = {
    whyLost: () => this.#place.whyLost(),
    wasTouched: () => this.#place.wasTouched(),
    rescue: target => this.#alone(() => rescueInto(this.#client, target)),
  }
  readonly #client: LocalClient
  readonly #place: Place
  readonly #isScratch: boolean
  readonly #disk: SlowDisk
  #group = -1
  /** False from a failure until the new connection has its settings and the group's number was read. */
  #isPrepared = false
  /** The transaction that holds the only connection. Reads wait for its end. */
  #busy: Promise<unknown> = Promise.resolve()

  constructor(client: LocalClient, place: Place, disk: SlowDisk, isScratch: boolean) {
    this.#client = client
    this.#disk = disk
    this.#isScratch = isScratch
    this.#place = place
  }

  /** Prepares a new connection. Throws for a damaged file. */
  async prepare(): Promise<void> {
    if (this.#isScratch) await this.#client.execute("PRAGMA synchronous=OFF")
    // In a new file, unused pages can be returned in small steps. Older files keep their setting.
    const [vacuum] = (await this.#client.execute("PRAGMA auto_vacuum")).rows
    if (vacuum?.auto_vacuum === 0) await this.#client.execute("PRAGMA auto_vacuum=INCREMENTAL")
    await this.#client.execute("PRAGMA journal_mode=WAL")
    // Shrinks a log that grew while a snapshot was being read.
    await this.#client.execute(`PRAGMA journal_size_limit=${logLimit}`)
    if (!this.#isScratch) await this.#client.execute("PRAGMA synchronous=FULL")
    await this.#disk.prepare()
    this.#group = await this.#readGroup()
    this.#place.take()
    this.#isPrepared = true
  }

  watch(watcher: EngineWatcher): void {
    this.#disk.watcher = watcher
  }

  get group(): number {
    return this.#group
  }

  async read(sql: string, args: Statement["args"] = []): Promise<readonly Row[]> {
    // Only the connection that writes still has every page of a lost file.
    const isApart = () => this.#disk.isSlow && !this.#place.isLost
    if (!isApart()) await this.#busy
    try {
      if (isApart()) return toResult(await this.#disk.read(toDriver({sql, args}))).rows
      return (await this.#client.run(toBound({sql, args}))).rows
    } catch (cause) {
      throw readingProblem(cause)
    }
  }

  commit(statements: readonly Statement[]): Promise<readonly Result[]> {
    return this.#alone(() => this.#commit(statements))
  }

  migrate(statements: readonly Statement[], signal: AbortSignal, begins?: (index: number) => void): Promise<void> {
    return this.#alone(() => this.#migrate(statements, signal, begins))
  }

  purge(): Promise<Purged> {
    return this.#alone(async () => {
      await this.#disk.ready()
      try {
        await this.#disk.leave()
        return await this.#purge()
      } catch (cause) {
        await this.#recover()
        throw databaseProblem(cause, "erasing the unused parts of the file failed")
      }
    }, true)
  }

  giveBack(pages: number): Promise<void> {
    return this.#alone(async () => {
      const transaction = await this.#begin(() => this.#client.transaction("write"))
      try {
        // `execute` would only take the first step.
        await transaction.executeMultiple(`PRAGMA incremental_vacuum(${pages})`)
        await transaction.commit()
      } catch (cause) {
        transaction.close()
        await this.#recover()
        throw databaseProblem(cause, "returning free space to the disk failed")
      }
      await this.#makeDurable()
    })
  }

  truncateLog(): Promise<void> {
    return this.#alone(async () => {
      await this.#disk.ready()
      await this.#disk.leave()
      await this.#client.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }, true)
  }

  async close(): Promise<void> {
    await this.#busy
    // SQLite would remove the file that now has the name of its log. The end of the process closes the files.
    if (this.#place.whyLost() !== undefined || !this.#disk.mayClose) return
    await this.#disk.leave().catch(() => {})
    // The driver closes the file only at garbage collection: its log would stay, and a copy of the file be incomplete.
    await this.#client.execute("PRAGMA wal_checkpoint(TRUNCATE)").catch(() => {})
    this.#client.close()
  }

  /** `empties` is true for work that may empty the log. */
  #alone<T>(work: () => Promise<T>, empties = false): Promise<T> {
    const done = this.#busy.then(() => this.#place.during(work, () => sizeOf(this.#client), empties))
    this.#busy = done.catch(() => {})
    return done
  }

  async #commit(statements: readonly Statement[]): Promise<readonly Result[]> {
    const bound = toAllBound(statements)
    const transaction = await this.#begin(() => this.#client.begin())
    const group = this.#group + 1
    let results: readonly Result[]
    try {
      results = transaction.run(this.#group < 0 ? bound : [...bound, storingGroup(group)])
    } catch (cause) {
      transaction.close()
      const isOwn = (indexOf(cause) ?? 0) >= statements.length
      // A damaged page concerns only the changes that need it.
      if ((isStatementError(cause) && !isOwn) || isValueError(cause) || isDamage(cause))
        throw new StatementFailed(indexOf(cause), cause)
      await this.#recover()
      throw databaseProblem(cause, "storing failed")
    }
    // A truncated log does not show after this write. A rollback would discard pages that only memory has: the group is
    // stored, and not acknowledged.
    this.#place.whyLost()
    const begun = performance.now()
    try {
      transaction.commit()
    } catch (cause) {
      await this.#recover()
      // After a failed fsync nobody knows what is on the disk, and it must not be repeated (lwn.net/Articles/752063).
      if (isDiskError(cause) || !this.#isPrepared) throw outcomeUnknown(cause)
      // Any other failed COMMIT may still have been carried out: the group's number shows it.
      if (this.#group !== group) throw databaseProblem(cause, "storing failed")
    }
    this.#group = this.#group < 0 ? await this.#readGroup() : group
    if (!this.#isScratch) this.#disk.took(performance.now() - begun)
    await this.#makeDurable()
    return results.slice(0, statements.length)
  }

  async #migrate(statements: readonly Statement[], signal: AbortSignal, begins?: (index: number) => void) {
    const transaction = await this.#begin(() => this.#client.transaction("write"))
    let index = 0
    try {
      for (const statement of statements) {
        begins?.(index)
        await turn()
        if (signal.aborted)
          throw new Problem("stopping", "a signal interrupted the migration; the next start repeats it")
        await transaction.execute(toDriver(statement))
        index++
      }
      await transaction.commit()
    } catch (cause) {
      transaction.close()
      await this.#recover()
      throw isStatementError(cause) ? new StatementFailed(index, cause) : databaseProblem(cause, "the migration failed")
    }
    this.#group = await this.#readGroup()
    await this.#makeDurable()
  }

  async #makeDurable(): Promise<void> {
    await this.#disk.makeDurable()
    if (!this.#disk.isDue) return
    void this.#alone(() => this.#disk.checkpoint().catch(() => this.#recover()), true)
  }

  async #begin<T>(begin: () => Promise<T>): Promise<T> {
    await this.#disk.ready()
    try {
      if (!this.#isPrepared) await this.prepare()
      return await begin()
    } catch (cause) {
      await this.#recover()
      throw databaseProblem(cause, "storing failed")
    }
  }

  async #purge(): Promise<Purged> {
    const isSmall = (await sizeOf(this.#client)) <= largestRewritten
    if (isSmall) await this.#client.execute("VACUUM")
    await this.#client.execute("PRAGMA secure_delete=OFF")
    const [checkpoint] = (await this.#client.execute("PRAGMA wal_checkpoint(TRUNCATE)")).rows
    if (checkpoint?.busy !== 0) return "log"
    return isSmall ? "file" : "row"
  }

  /**
   * After SQLITE_BUSY this driver can lose later acknowledged data on the same connection
   * (tursodatabase/libsql-client-ts #352). After an I/O error the state of a connection is unknown. So this opens a new
   * one.
   */
  async #recover(): Promise<void> {
    // Only the old connection still reaches a lost file.
    if (this.#place.whyLost() !== undefined) return
    this.#isPrepared = false
    this.#place.leaveBesides()
    await this.#client.reconnect()
    await this.prepare().catch(() => {})
  }

  async #readGroup(): Promise<number> {
    const tables = await this.#client.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'svc_group'")
    if (tables.rows.length === 0) return -1
    const {rows} = await this.#client.execute("SELECT number FROM svc_group WHERE id = 1")
    return Number(rows[0]?.number ?? -1)
  }
}

const outcomeUnknown = (cause: unknown) =>
  new Problem("database_outcome_unknown", `storing failed in its last step: ${messageOf(cause)}`, {cause})
