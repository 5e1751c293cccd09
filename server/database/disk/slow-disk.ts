import type {Client, InStatement, ResultSet} from "@libsql/client/sqlite3"
import {messageOf, Problem} from "../../../shared/problems.ts"
import {identityOf} from "../../runtime/files.ts"
import type {EngineWatcher} from "../engine/engine.ts"
import {isWholeChain} from "./log-chain.ts"
import {watched} from "./stalled.ts"
import {SyncedFile} from "./synced-file.ts"
import {SyncedReader} from "./synced-reader.ts"

/** A commit that takes at least this time, in milliseconds, has waited for a slow disk. */
const slowFrom = 4

/** After this number of slow commits in a row, the disk counts as slow. */
const slowInARow = 8

/** After this number of syncs in a row in half the time, the disk counts as fast again. */
const fastInARow = 64

/** The size of the log, in bytes, from which it is copied into the database. Copying pages blocks the event loop. */
const checkpointFrom = 4 * 1024 * 1024

/** SQLite's own threshold, for a connection that checkpoints automatically. */
const ownCheckpointFrom = 1000

interface Slow {
  readonly reader: SyncedReader
  readonly log: SyncedFile
  /** How many syncs in a row were fast. */
  fast: number
  /** The size of the log, in bytes, at which the next checkpoint is due. */
  due: number
  /** True if nothing was stored since the log was emptied. */
  isEmpty: boolean
}

/** Returns the time from which a commit counts as slow. Benches switch this class off with a high value. */
const limitOf = (given = Number(process.env.SVC_SLOW_DISK_FROM ?? slowFrom)) => (Number.isNaN(given) ? slowFrom : given)

/**
 * Keeps the event loop free while a slow disk syncs. Once commits are slow, the connection writes its log without a
 * sync, and the runtime's thread pool syncs it: `settle` resolves when that sync has ended. Until then, other readers
 * see the state of the previous sync.
 *
 * The order is SQLite's own, which makes a log safe: frames are synced before their pages are copied into the database,
 * and the database is synced before the log restarts from its beginning. Call each method while nothing else uses the
 * connection.
 */
export class SlowDisk {
  readonly #client: Client
  readonly #file: string
  readonly #busyTimeout: number
  readonly #limit: number
  watcher: EngineWatcher | undefined
  #database: SyncedFile | undefined
  #log: SyncedFile | undefined
  #slowCommits = 0
  #slow: Slow | undefined
  /** A sync of the log failed. The log is rewritten before anything else is stored. */
  #isTorn = false
  /** For a database whose own sync failed: keeps the log, the only complete copy, until the process ends. */
  #keeper: SyncedReader | undefined

  constructor(client: Client, file: string, busyTimeout: number, limit = limitOf()) {
    this.#client = client
    this.#file = file
    this.#busyTimeout = busyTimeout
    this.#limit = limit
  }

  get isSlow(): boolean {
    return this.#slow !== undefined
  }

  /**
   * On a slow disk, reads what was synced, without waiting for the sync in progress. Otherwise, and after a failed
   * sync, reads what the connection has stored: a lookup of an unknown outcome must find what the next write makes
   * durable.
   */
  read(statement: InStatement): Promise<ResultSet> {
    return this.#slow === undefined || this.#isTorn
      ? this.#client.execute(statement)
      : this.#slow.reader.read(statement)
  }

  /** True if the log has grown so much that `checkpoint` is due. */
  get isDue(): boolean {
    return (
      this.#slow !== undefined && !this.#isTorn && this.#keeper === undefined && this.#slow.log.size >= this.#slow.due
    )
  }

  /** False once the log must stay as it is. Then only the end of the process closes it. */
  get mayClose(): boolean {
    return !this.#isTorn && this.#keeper === undefined
  }

  /** Records how long a commit took that SQLite itself synced. */
  took(milliseconds: number): void {
    if (!this.isSlow) this.#slowCommits = milliseconds >= this.#limit ? this.#slowCommits + 1 : 0
  }

  /** Prepares a new connection while the disk is slow. */
  async prepare(): Promise<void> {
    if (this.#slow === undefined) return
    await this.#pragmas("wal_autocheckpoint=0", "synchronous=NORMAL")
    this.#slow.isEmpty = false
  }

  /** Call it before a transaction. Throws `database_failed` while the disk has not stored the earlier changes. */
  async ready(): Promise<void> {
    if (this.#isTorn) await this.#mend()
  }

  /** Call it after a commit, which is durable when this resolves. Throws `database_outcome_unknown`. */
  async makeDurable(): Promise<void> {
    if (this.#slow === undefined) {
      if (this.#slowCommits >= slowInARow) await this.#enter()
      return
    }
    const begun = performance.now()
    await this.#syncLog(this.#slow)
    this.#slow.fast = performance.now() - begun < this.#limit / 2 ? this.#slow.fast + 1 : 0
    if (this.#slow.fast >= fastInARow) await this.leave()
  }

  /** Returns to syncs by SQLite. */
  async leave(): Promise<void> {
    if (this.#slow === undefined || !this.mayClose) return
    await this.#pragmas(`wal_autocheckpoint=${ownCheckpointFrom}`, "synchronous=FULL")
    this.#slow.reader.close()
    this.#slow = undefined
    this.#slowCommits = 0
  }

  /** Copies the log into the database and empties it. Everything in the log is already synced. */
  async checkpoint(): Promise<void> {
    const slow = this.#slow
    if (slow === undefined || !this.mayClose) return
    // If another process reads the log, it grows by this much before the next try.
    slow.due = slow.log.size + checkpointFrom
    const isWhole = await this.#copyLog()
    try {
      await this.#watched(this.#openDatabase().sync())
    } catch (cause) {
      await this.#keep(slow, cause)
      return
    }
    if (!isWhole) return
    slow.reader.release()
    try {
      await this.#empty(slow)
    } finally {
      await slow.reader.renew()
    }
  }

  async #enter(): Promise<void> {
    this.#slowCommits = 0
    let reader: SyncedReader | undefined
    try {
      const log = this.#openLog()
      this.#openDatabase()
      reader = new SyncedReader(this.#file)
      await reader.renew()
      await this.#pragmas("wal_autocheckpoint=0", "synchronous=NORMAL")
      this.#slow = {reader, log, fast: 0, due: 0, isEmpty: false}
    } catch {
      // Without descriptors or memory for this, SQLite continues to sync.
      reader?.close()
      await this.#pragmas(`wal_autocheckpoint=${ownCheckpointFrom}`, "synchronous=FULL")
    }
  }

  async #syncLog(slow: Slow): Promise<void> {
    try {
      await this.#watched(slow.log.sync())
    } catch (cause) {
      this.#isTorn = true
      const why = `storing failed in its last step: ${messageOf(cause)}`
      throw new Problem("database_outcome_unknown", why, {cause})
    }
    if (slow.isEmpty) await this.#pragmas("synchronous=NORMAL")
    slow.isEmpty = false
    await slow.reader.renew().catch(() => this.leave())
  }

  /**
   * After a failed sync, the next sync may succeed without the pages of the first (https://lwn.net/Articles/752063/).
   * So this rewrites the log, if it reads back complete.
   */
  async #mend(): Promise<void> {
    const slow = this.#slow
    if (slow === undefined) return
    try {
      const bytes = await slow.log.readAll()
      if (!isWholeChain(bytes)) throw new Error("the disk lost a part of the write-ahead log; restart the Host")
      await slow.log.rewrite(bytes)
      await this.#syncLog(slow)
    } catch (cause) {
      throw new Problem("database_failed", `storing failed: ${messageOf(cause)}`, {cause})
    }
    this.#isTorn = false
  }

  /** Copies the log into the database, which is not synced yet. Resolves to true if everything was copied. */
  async #copyLog(): Promise<boolean> {
    await this.#pragmas("synchronous=OFF")
    const [copied] = (await this.#client.execute("PRAGMA wal_checkpoint(PASSIVE)")).rows
    await this.#pragmas("synchronous=NORMAL")
    return copied?.busy === 0 && copied.log === copied.checkpointed
  }

  /** Only the log is known to be on the disk: from now on it only grows. */
  async #keep(slow: Slow, cause: unknown): Promise<void> {
    this.#keeper = slow.reader
    const reader = new SyncedReader(this.#file)
    await reader.renew()
    this.#slow = {...slow, reader}
    const why = `the disk failed to store the database file: ${messageOf(cause)}; the Host keeps the write-ahead log until its next start`
    this.watcher?.missed(new Problem("database_failed", why, {cause}))
  }

  /** SQLite syncs a header over an old one before the frames behind it. An empty log has no old frames to follow it. */
  async #empty(slow: Slow): Promise<void> {
    await this.#pragmas("busy_timeout=0")
    const [emptied] = (await this.#client.execute("PRAGMA wal_checkpoint(TRUNCATE)")).rows
    await this.#pragmas(`busy_timeout=${this.#busyTimeout}`)
    if (emptied?.busy !== 0 || slow.log.size > 0) return
    await this.#watched(slow.log.syncWhole())
    slow.due = checkpointFrom
    slow.isEmpty = true
    await this.#pragmas("synchronous=OFF")
  }

  #watched(sync: Promise<void>): Promise<void> {
    return watched(sync, this.watcher)
  }

  #openLog(): SyncedFile {
    const path = `${this.#file}-wal`
    const now = identityOf(path)
    if (this.#log?.identity !== now) this.#log = new SyncedFile(path)
    if (this.#log === undefined || this.#log.identity !== now) throw new Error(`${path} was replaced`)
    return this.#log
  }

  #openDatabase(): SyncedFile {
    this.#database ??= new SyncedFile(this.#file)
    return this.#database
  }

  async #pragmas(...settings: readonly string[]): Promise<void> {
    for (const setting of settings) await this.#client.execute(`PRAGMA ${setting}`)
  }
}
