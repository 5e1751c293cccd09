import {setImmediate as turn} from "node:timers/promises"
import {LibsqlBatchError} from "@libsql/client/sqlite3"
import {messageOf, Problem} from "../../shared/problems.ts"
import {SlowDisk} from "./disk/slow-disk.ts"
import {type Bound, toAllBound, toBound, toDriver, toResult} from "./driver-values.ts"
import type {Engine, EngineWatcher, HeldFile, Purged, Result, Row, Statement} from "./engine.ts"
import {StatementFailed} from "./engine.ts"
import {databaseProblem, isDiskError, isStatementError} from "./errors.ts"
import {Place} from "./place.ts"
import {createKeepingClient, type LocalClient} from "./prepared.ts"
import {removeUnfinished} from "./upkeep/compact.ts"
import {rescueInto} from "./upkeep/rescue.ts"
import {prepareFile, requireWhole, sizeOf} from "./upkeep/whole.ts"

/** Waits for a stranger's lock, in milliseconds. The driver waits inside the call, so the Host stands still as long. */
const busyTimeout = 250

/** The write-ahead log keeps so many bytes on the disk once it was taken into the file. */
const logLimit = 16 * 1024 * 1024

/** A file up to so many bytes is written anew within the call, which holds everything else up for a second at most. */
const largestRewritten = 64 * 1024 * 1024

const nextGroup = (number: number): Bound => ({sql: "UPDATE svc_group SET number = ? WHERE id = 1", args: [number]})

/**
 * The database file, on one connection that alone writes and checkpoints. What is stored in a scratch file need not survive the end
 * of the machine: it is not synced. Throws `database_unopenable`,
 * `database_corrupt`.
 */
export const openLocal = async (file: string, {isScratch = false} = {}): Promise<Engine> => {
  removeUnfinished(file)
  prepareFile(file)
  try {
    const client = createKeepingClient(file, busyTimeout)
    const disk = new SlowDisk(client, file, busyTimeout)
    const engine = new LocalEngine(client, new Place(file), disk, isScratch)
    await engine.prepare()
    // Whoever else writes to the file is met here, by the file's name, and not at the first change.
    await (await client.transaction("write")).rollback()
    await requireWhole(client, file)
    return engine
  } catch (cause) {
    throw databaseProblem(cause, `cannot open ${file}`, "database_unopenable")
  }
}

class LocalEngine implements Engine {
  readonly canEndBetween = true
  readonly held: HeldFile = {
    whyLost: () => this.#place.whyLost(),
    rescue: target => this.#alone(() => rescueInto(this.#client, target)),
  }
  readonly #client: LocalClient
  readonly #place: Place
  readonly #isScratch: boolean
  readonly #disk: SlowDisk
  /** The number of the last group that is known to be stored; -1 until the table exists. */
  #group = -1
  /** False from a failure until the new connection has its settings and the group's number is read. */
  #isPrepared = false
  /** A transaction holds the only connection: reads wait for its end. */
  #busy: Promise<unknown> = Promise.resolve()

  constructor(client: LocalClient, place: Place, disk: SlowDisk, isScratch: boolean) {
    this.#client = client
    this.#disk = disk
    this.#isScratch = isScratch
    this.#place = place
  }

  /** What a new connection needs. Connections to a damaged file fail here. */
  async prepare(): Promise<void> {
    if (this.#isScratch) await this.#client.execute("PRAGMA synchronous=OFF")
    // Of a new file: what is unused can be given back in small steps. Files of before keep what they have.
    const [vacuum] = (await this.#client.execute("PRAGMA auto_vacuum")).rows
    if (vacuum?.auto_vacuum === 0) await this.#client.execute("PRAGMA auto_vacuum=INCREMENTAL")
    await this.#client.execute("PRAGMA journal_mode=WAL")
    // A log that grew while a snapshot was being read is made small again.
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

  async read(sql: string, args: Statement["args"] = []): Promise<readonly Row[]> {
    if (!this.#disk.isSlow) await this.#busy
    try {
      if (this.#disk.isSlow) return toResult(await this.#disk.read(toDriver({sql, args}))).rows
      return (await this.#client.run(toBound({sql, args}))).rows
    } catch (cause) {
      throw databaseProblem(cause, "reading failed")
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
        throw databaseProblem(cause, "emptying the unused parts of the file failed")
      }
    })
  }

  giveBack(pages: number): Promise<void> {
    return this.#alone(async () => {
      const transaction = await this.#begin(() => this.#client.transaction("write"))
      try {
        // `execute` would take its first step alone.
        await transaction.executeMultiple(`PRAGMA incremental_vacuum(${pages})`)
        await transaction.commit()
      } catch (cause) {
        transaction.close()
        await this.#recover()
        throw databaseProblem(cause, "giving space back failed")
      }
      await this.#settle()
    })
  }

  truncateLog(): Promise<void> {
    return this.#alone(async () => {
      await this.#disk.ready()
      await this.#disk.leave()
      await this.#client.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    })
  }

  async close(): Promise<void> {
    await this.#busy
    // SQLite would remove what has the name of its log now. The end of the process lets go of the files.
    if (this.#place.whyLost() !== undefined || !this.#disk.mayClose) return
    await this.#disk.leave().catch(() => {})
    // The driver lets go of the file at garbage collection, so its log would stay: who copies the file wants it whole.
    await this.#client.execute("PRAGMA wal_checkpoint(TRUNCATE)").catch(() => {})
    this.#client.close()
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#busy.then(work)
    this.#busy = done.catch(() => {})
    return done
  }

  async #commit(statements: readonly Statement[]): Promise<readonly Result[]> {
    const bound = toAllBound(statements)
    const transaction = await this.#begin(() => this.#client.begin())
    const group = this.#group + 1
    let results: readonly Result[]
    try {
      results = transaction.run(this.#group < 0 ? bound : [...bound, nextGroup(group)])
    } catch (cause) {
      transaction.close()
      if (isStatementError(cause) || isValueError(cause)) throw new StatementFailed(indexOf(cause), cause)
      await this.#recover()
      throw databaseProblem(cause, "storing failed")
    }
    const begun = performance.now()
    try {
      transaction.commit()
    } catch (cause) {
      await this.#recover()
      // A failed fsync leaves open what is on the disk, and must not be repeated (https://lwn.net/Articles/752063/).
      if (isDiskError(cause) || !this.#isPrepared) throw outcomeUnknown(cause)
      // Any other failed COMMIT may have been carried out all the same: the group's number tells.
      if (this.#group !== group) throw databaseProblem(cause, "storing failed")
    }
    this.#group = this.#group < 0 ? await this.#readGroup() : group
    if (!this.#isScratch) this.#disk.took(performance.now() - begun)
    await this.#settle()
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
          throw new Problem("stopping", "the migration was ended by a signal; the next start repeats it")
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
    await this.#settle()
  }

  /** Resolves once what was committed is durable. */
  async #settle(): Promise<void> {
    await this.#disk.settle()
    if (!this.#disk.isDue) return
    void this.#alone(() => this.#disk.checkpoint().catch(() => this.#recover()))
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
   * After SQLITE_BUSY this driver can lose what it acknowledges later on the same connection
   * (tursodatabase/libsql-client-ts #352), and after an I/O error the state of a connection is unknown: start a new one.
   */
  async #recover(): Promise<void> {
    // Only the old connection still reaches a file that is lost.
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

/** What the driver throws for a value that it cannot bind, or cannot give back. */
const isValueError = (cause: unknown) => cause instanceof TypeError || cause instanceof RangeError

const outcomeUnknown = (cause: unknown) =>
  new Problem("database_outcome_unknown", `storing failed in its last step: ${messageOf(cause)}`, {cause})

const indexOf = (cause: unknown) => (cause instanceof LibsqlBatchError ? cause.statementIndex : undefined)
