import type {DatabaseCheck} from "../../shared/api/database.ts"
import {isProblem, messageOf, Problem} from "../../shared/problems.ts"
import type {CommitMeter} from "./commit-meter.ts"
import type {Engine, Purged, Reader, RescuedFile, Result, Row, SqlValue, Statement} from "./engine/engine.ts"
import {ChangeFailed, isDamage} from "./engine/errors.ts"
import {displaced} from "./engine/place.ts"
import {type Damage, type DatabaseFailure, type DatabaseObserver, Failing} from "./failing.ts"
import {openLocal} from "./local.ts"
import {type Applied, type MigrateOptions, migrate, runMigration, schemaVersion} from "./migrations/migrate.ts"
import {type Migration, migrations} from "./migrations/migrations.ts"
import type {RemoteAddress} from "./remote/link.ts"
import {checkTables, type Fingerprint, snapshotFile, snapshotPoint} from "./upkeep/maintenance.ts"
import {Writer} from "./writer.ts"

// What most code with a database needs besides it.
export type {Reader, Result, Row, SqlValue, Statement}

export type Location =
  | {readonly dialect: "sqlite" /** Absolute path. */; readonly file: string}
  | ({readonly dialect: "libsql"} & RemoteAddress)

export interface OpenOptions {
  readonly runtimeId: string
  /** A temporary file that this process alone needs: it is not synced to the disk. */
  readonly isScratch?: boolean
  /** Ends the wait for a remote lease. Ends migrations between two statements. */
  readonly signal: AbortSignal
  /** Returns why this process no longer holds the project. Called before and after each group is stored. */
  readonly whyNotHeld?: () => Problem | undefined
  /** Called when another Host has taken the lease of a remote database, or the lease could not be renewed. */
  readonly onLeaseLost: (why: Problem) => void
  /** Inspects a remote database before taking its lease. If it throws, the lease is not taken. */
  readonly beforeLease?: (found: FoundDatabase) => Promise<void>
}

/** A database of any schema, before migrations; only for reading. */
export type FoundDatabase = Pick<Database, "read" | "location" | "state">

export type DatabaseState =
  | {
      readonly is: "initialized"
      readonly schema: number
      readonly failure?: DatabaseFailure
      readonly damage?: Damage
      /** Another Host may hold the lease of the remote database: this Host sends nothing more. */
      readonly mayBeLost?: true
      /** Why the remote database does not renew this Host's lease now: it does not answer, or refuses. */
      readonly unrenewed?: string
    }
  | {readonly is: "closed"}

/** The Database Host: the project's only database, migrated, with one writer. */
export interface Database extends Pick<Engine, "read" | "purge" | "giveBack" | "truncateLog"> {
  readonly location: Location
  readonly state: DatabaseState
  /** The schema versions applied since the database was opened. */
  readonly applied: readonly number[]
  /** Measurements of its group commits since the start. */
  readonly commits: CommitMeter
  /**
   * Stores one batch, all or nothing; durable when it resolves. Batches that are handed over together share a
   * transaction. Throws `database_refused` if a statement or an assertion of the batch fails, `ChangeFailed` if the
   * database fails on this batch alone, and `database_full`, `database_busy` or `database_failed` if it fails. `changes`
   * is the number of changes in a batch whose statements each store many rows.
   */
  write(batch: readonly Statement[], changes?: number): Promise<readonly Result[]>
  /** Migrates the schema to the newest of these migrations. Throws the errors of `migrate`. */
  bringUp(known: readonly Migration[], options: MigrateOptions): Promise<readonly Applied[]>
  /** Runs migrations of plugins' tables in one transaction. `whatOf` names the part of a statement by its index. */
  migrate(
    statements: readonly Statement[],
    signal: AbortSignal,
    whatOf?: (index: number | undefined) => string,
  ): Promise<void>
  /** Copies the database into a new file. Dialect sqlite only; a remote database has its own native backup. */
  snapshotTo(target: string, signal?: AbortSignal): Promise<void>
  /**
   * Like `snapshotTo`, but the copy ends with a chosen batch. While nothing else is stored, `last` returns its
   * statements, which become the last ones of the copy. Writers wait until the copy has begun. Dialect sqlite only.
   */
  snapshotPoint(target: string, last: () => Promise<readonly Statement[]>, signal?: AbortSignal): Promise<Fingerprint>
  /** Checks each table in a child process, until the signal; records damage in the state. Skips a remote database. */
  check(signal: AbortSignal): Promise<DatabaseCheck>
  /**
   * Checks that the files are as the Host left them and that the project is still held. If not, the database stores and
   * acknowledges nothing more: it refuses every change with the returned problem, and tells observers. Every group is
   * checked in the same way.
   */
  inspectPlace(): Problem | undefined
  /**
   * Writes all stored data into a new file, through the connection that still has a lost or damaged file open. After
   * that, the database stores nothing more. Blocks the event loop. Throws `rescue_failed`, and `rescue_not_needed` while
   * the file is in its place and sound.
   */
  rescueTo(target: string): Promise<RescuedFile>
  /** Notifies the observer until the returned function is called. */
  observe(observer: DatabaseObserver): () => void
  /** Stores what waits, then closes the database. */
  close(): Promise<void>
}

/** Returns a statement that makes its batch fail unless the condition holds when the batch is stored. */
export const assertThat = (condition: string, args: Statement["args"] = []): Statement => ({
  sql: `INSERT INTO svc_assert (holds) SELECT 0 WHERE NOT (${condition})`,
  args,
})

/** Returns the schema version of a database; 0 if it is new or closed. */
export const schemaOf = ({state}: Pick<Database, "state">): number => (state.is === "initialized" ? state.schema : 0)

/** Opens and migrates a database. Throws the errors of `openUnmigrated` and `migrate`. */
export const openDatabase = async (
  location: Location,
  options: OpenOptions & Pick<MigrateOptions, "restorePoint">,
  known: readonly Migration[] = migrations,
): Promise<Database> => {
  const database = await openUnmigrated(location, options)
  try {
    await database.bringUp(known, options)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Opens a database with its current schema. Throws `database_unopenable`, `database_corrupt`, `locked`, `stopping`. */
export const openUnmigrated = async (location: Location, options: OpenOptions): Promise<Database> => {
  const engine = await openEngine(location, options)
  try {
    return new DatabaseHost(location, engine, await schemaVersion(engine), options.whyNotHeld)
  } catch (error) {
    await engine.close()
    throw error
  }
}

const openEngine = async (location: Location, {beforeLease, ...options}: OpenOptions): Promise<Engine> => {
  if (location.dialect === "sqlite") return openLocal(location.file, options)
  const {dialect: _, ...address} = location
  // Its client has fifty modules, which a Host with a database file does not need at startup.
  const {openRemote} = await import("./remote/remote.ts")
  const look = async (read: Engine["read"]) =>
    beforeLease?.({read, location, state: {is: "initialized", schema: await schemaVersion({read})}})
  return openRemote({...address, ...options, beforeLease: look})
}

class DatabaseHost implements Database {
  readonly location: Location
  readonly #engine: Engine
  readonly #writer: Writer
  readonly #failing = new Failing()
  readonly #whyNotHeld: () => Problem | undefined
  #applied: readonly number[] = []
  #state: DatabaseState
  /** Why the database stores nothing more, permanently. */
  #ended: Problem | undefined

  constructor(
    location: Location,
    engine: Engine,
    schema: number,
    whyNotHeld: () => Problem | undefined = () => undefined,
  ) {
    this.location = location
    this.#engine = engine
    this.#whyNotHeld = whyNotHeld
    this.#writer = new Writer(engine, {committed: () => this.#failing.committed(), whyEnded: () => this.inspectPlace()})
    this.#state = {is: "initialized", schema}
    engine.watch?.({
      missed: problem => {
        if (problem.code === "database_unanswered") this.commits.unanswered++
        this.#failing.fail(problem)
      },
      answered: () => {
        this.#failing.recover("database_unanswered")
        this.#failing.recover("database_stalled")
      },
    })
  }

  get applied(): readonly number[] {
    return this.#applied
  }

  get commits(): CommitMeter {
    return this.#writer.commits
  }

  get state(): DatabaseState {
    const {failure, damage} = this.#failing
    const {mayAct, unrenewed} = this.#engine
    if (this.#state.is === "closed") return this.#state
    const mayBeLost = mayAct === false
    const remote = {...(mayBeLost && {mayBeLost}), ...(unrenewed !== undefined && {unrenewed})}
    return {...this.#state, ...(failure && {failure}), ...(damage && {damage}), ...remote}
  }

  async read(sql: string, args?: Statement["args"]): Promise<readonly Row[]> {
    this.#requireOpen()
    return this.#heeding(this.#engine.read(sql, args))
  }

  async write(batch: readonly Statement[], changes?: number): Promise<readonly Result[]> {
    this.#requireOpen()
    try {
      const results = await this.#writer.write(batch, changes)
      this.#failing.recover()
      return results
    } catch (error) {
      const isOfChange = error instanceof ChangeFailed || isProblem(error, "database_refused")
      if (isDamage(error)) this.#failing.damaged(messageOf(error))
      else if (error instanceof Problem && !isOfChange) this.#failing.fail(error)
      throw error
    }
  }

  observe(observer: DatabaseObserver): () => void {
    return this.#failing.observe(observer)
  }

  inspectPlace(): Problem | undefined {
    if (this.#ended === undefined && this.#state.is !== "closed") {
      const {held} = this.#engine
      this.#end(held?.whyLost() ?? this.#whyNotHeld())
      if (held?.wasTouched() === true) this.#failing.touched()
    }
    return this.#ended
  }

  async rescueTo(target: string): Promise<RescuedFile> {
    this.#requireOpen()
    const {held} = this.#engine
    this.inspectPlace()
    const isLost = this.#ended?.code === "database_replaced" || held?.whyLost() !== undefined
    if (held === undefined || this.location.dialect === "libsql" || !(isLost || this.#failing.damage !== undefined))
      throw new Problem("rescue_not_needed", "the database file is in place, without known damage: nothing to rescue")
    const release = await this.#writer.hold()
    try {
      const rescued = await held.rescue(target)
      // Later changes would not be in the rescue.
      this.#end(displaced(this.location.file, `found damaged and rescued into ${target}`))
      return rescued
    } finally {
      release()
    }
  }

  async bringUp(known: readonly Migration[], options: MigrateOptions): Promise<readonly Applied[]> {
    this.#requirePlace()
    await this.#writer.idle()
    const applied = await migrate(this.#engine, known, options)
    this.#applied = [...this.#applied, ...applied.map(({version}) => version)]
    this.#state = {is: "initialized", schema: await schemaVersion(this.#engine)}
    return applied
  }

  async migrate(
    statements: readonly Statement[],
    signal: AbortSignal,
    whatOf?: (index: number | undefined) => string,
  ): Promise<void> {
    this.#requirePlace()
    await this.#writer.idle()
    await this.#heeding(runMigration(this.#engine, statements, signal, whatOf))
  }

  async purge(): Promise<Purged> {
    this.#requirePlace()
    return this.#heeding(this.#engine.purge())
  }

  async giveBack(pages: number): Promise<void> {
    this.#requirePlace()
    return this.#heeding(this.#engine.giveBack(pages))
  }

  async truncateLog(): Promise<void> {
    this.#requirePlace()
    return this.#heeding(this.#engine.truncateLog())
  }

  async check(signal: AbortSignal): Promise<DatabaseCheck> {
    if (this.location.dialect === "libsql") return {damaged: [], unchecked: []}
    this.#requirePlace()
    const checked = await checkTables(this.location.file, signal).catch((error): DatabaseCheck => {
      if (isProblem(error, "database_replaced")) this.#end(error)
      if (!isDamage(error)) throw error
      return {damaged: [{table: "sqlite_schema", finding: messageOf(error)}], unchecked: []}
    })
    const tables = checked.damaged.map(({table}) => table)
    if (tables.length > 0) this.#failing.damaged(checked.damaged[0]?.finding ?? "", tables)
    return checked
  }

  async snapshotTo(target: string, signal?: AbortSignal): Promise<void> {
    this.#requirePlace()
    await this.#heeding(snapshotFile(this.#file, target, signal))
  }

  async snapshotPoint(
    target: string,
    last: () => Promise<readonly Statement[]>,
    signal?: AbortSignal,
  ): Promise<Fingerprint> {
    this.#requirePlace()
    const atPoint = async (begin: () => Promise<void>) => {
      const release = await this.#writer.hold()
      try {
        const statements = await last()
        this.#requirePlace()
        await this.#engine.commit(statements)
        await begin()
      } finally {
        release()
      }
    }
    return this.#heeding(snapshotPoint(this.#file, target, atPoint, signal))
  }

  get #file(): string {
    if (this.location.dialect === "sqlite") return this.location.file
    throw new Problem("database_failed", "svc takes no snapshots of a remote database; back it up with its own tool")
  }

  async close(): Promise<void> {
    if (this.#state.is === "closed") return
    this.#state = {is: "closed"}
    await this.#writer.idle()
    await this.#engine.close()
  }

  /** From now on the database stores nothing more. */
  #end(why: Problem | undefined): void {
    if (why === undefined || this.#ended !== undefined) return
    this.#ended = why
    this.#failing.fail(why)
  }

  /** Records the damage that some work on the database met. */
  async #heeding<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      if (isDamage(error)) this.#failing.damaged(messageOf(error))
      throw error
    }
  }

  /** The Host neither reads nor changes a file that replaced its database file. */
  #requirePlace(): void {
    this.#requireOpen()
    const ended = this.inspectPlace()
    if (ended !== undefined) throw ended
  }

  #requireOpen(): void {
    if (this.#state.is === "closed") throw new Problem("stopping", "the database is closed")
  }
}
