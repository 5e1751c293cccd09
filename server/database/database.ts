import {Problem} from "../../shared/problems.ts"
import type {Secret} from "../../shared/secret.ts"
import type {CommitMeter} from "./commit-meter.ts"
import type {Engine, Purged, Result, Row, Statement} from "./engine.ts"
import {type DatabaseFailure, type DatabaseObserver, Failing} from "./failing.ts"
import {openLocal} from "./local.ts"
import {type Applied, type MigrateOptions, migrate, runMigration, schemaVersion} from "./migrations/migrate.ts"
import {type Migration, migrations} from "./migrations/migrations.ts"
import {type Fingerprint, snapshotFile, snapshotPoint} from "./upkeep/maintenance.ts"
import type {Rescued} from "./upkeep/rescue.ts"
import {Writer} from "./writer.ts"

export type Location =
  | {readonly dialect: "sqlite" /** Absolute path. */; readonly file: string}
  | {
      readonly dialect: "libsql"
      readonly url: string
      readonly authToken?: Secret
      /** How long an answer is waited for, in milliseconds; 10 s when left out. */
      readonly timeout?: number
    }

export interface OpenOptions {
  readonly runtimeId: string
  /** A file that nobody needs after this process: it is not synced to the disk. */
  readonly isScratch?: boolean
  /** Ends the wait for a remote lease, and migrations between two statements. */
  readonly signal: AbortSignal
  /** Why this process holds the project no longer; asked for each group, before and after it is stored. */
  readonly whyNotHeld?: () => Problem | undefined
  /** The lease of a remote database has passed to another Host, or could not be renewed. */
  readonly onLeaseLost: (why: Problem) => void
  /** Looks at a remote database before its lease is taken; what it throws leaves the lease alone. */
  readonly beforeLease?: (found: FoundDatabase) => Promise<void>
}

/** A database as it was found, of whatever schema; only read. */
export type FoundDatabase = Pick<Database, "read" | "location" | "state">

export type DatabaseState =
  | {
      readonly is: "initialized"
      readonly schema: number
      readonly failure?: DatabaseFailure
      /** The lease of a remote database may have passed to another Host: nothing is sent any more. */
      readonly mayBeLost?: true
    }
  | {readonly is: "closed"}

export interface PointOptions {
  /** Told when the point is fixed, or given up: what was held back for it may go on. */
  readonly released?: () => void
  readonly signal?: AbortSignal
}

/** The Database Host: the project's one database, migrated, with one writer. */
export interface Database {
  readonly location: Location
  readonly state: DatabaseState
  /** The schema versions that were applied since it was opened. */
  readonly applied: readonly number[]
  /** What its group commits took since the start. */
  readonly commits: CommitMeter
  read(sql: string, args?: Statement["args"]): Promise<readonly Row[]>
  /**
   * Stores one batch, all or nothing; durable when it resolves. Batches that are handed over together share a
   * transaction. Throws `database_refused` where a statement or an assertion of the batch fails; `database_full`,
   * `database_busy`, `database_failed` where the database does. `changes` says how many a batch makes whose statements
   * each store many rows.
   */
  write(batch: readonly Statement[], changes?: number): Promise<readonly Result[]>
  /** Brings the schema up to the newest of these migrations. Throws what `migrate` throws. */
  bringUp(known: readonly Migration[], options: MigrateOptions): Promise<readonly Applied[]>
  /** Migrations of plugins' own tables, in one transaction; `whatOf` says what the statement at an index belongs to. */
  migrate(
    statements: readonly Statement[],
    signal: AbortSignal,
    whatOf?: (index: number | undefined) => string,
  ): Promise<void>
  /** Rids the storage of what was overwritten or deleted before; writers wait. */
  purge(): Promise<Purged>
  /** Dialect sqlite only; a remote database has its own native backup. */
  snapshotTo(target: string, signal?: AbortSignal): Promise<void>
  /**
   * Like `snapshotTo`, and the copy ends with a batch: while nothing else is stored, `last` is asked for its statements and
   * they are stored as the last of the copy. Writers wait from then until the copy has begun. Dialect sqlite only.
   */
  snapshotPoint(target: string, last: () => Promise<readonly Statement[]>, options?: PointOptions): Promise<Fingerprint>
  /** Gives so many unused pages back to the disk, at most. Throws `compact_unavailable` for a remote database. */
  giveBack(pages: number): Promise<void>
  /** Takes what is in the write-ahead log into the file, and empties it. */
  truncateLog(): Promise<void>
  /**
   * Looks whether the file is still where its path leads, and the project still held; where not, nothing is stored or
   * acknowledged from then on: every change is refused with the problem that this returns, and observers hear of it. Each group
   * is looked at likewise.
   */
  inspectPlace(): Problem | undefined
  /**
   * Writes everything that was stored into a new file, from the connection that still has a removed or replaced file open. The
   * event loop stands still meanwhile. Throws `rescue_not_needed` while the file is in its place, `rescue_failed`.
   */
  rescueTo(target: string): Promise<Rescued>
  /** Tells until the returned function is called. */
  observe(observer: DatabaseObserver): () => void
  /** Stores what waits, then closes. */
  close(): Promise<void>
}

/** A statement that makes its batch fail unless the condition holds when it is stored. */
export const assertThat = (condition: string, args: Statement["args"] = []): Statement => ({
  sql: `INSERT INTO svc_assert (holds) SELECT 0 WHERE NOT (${condition})`,
  args,
})

/** The version of the schema that a database has; 0 for one that is new or closed. */
export const schemaOf = ({state}: Pick<Database, "state">): number => (state.is === "initialized" ? state.schema : 0)

/** Opens and migrates. Throws what `openUnmigrated` and `migrate` throw. */
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

/** Opens a database as it is, of whatever schema. Throws `database_unopenable`, `database_corrupt`, `locked`, `stopping`. */
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
  // Its client is fifty modules, which the start of a Host with a file has no use for.
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
  /** Why nothing is stored any more, for good. */
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
    this.#writer = new Writer(engine, {
      committed: () => this.#failing.committed(),
      whyEnded: () => this.inspectPlace(),
    })
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
    const {failure} = this.#failing
    const mayBeLost = this.#engine.mayAct === false
    if (this.#state.is === "closed" || (failure === undefined && !mayBeLost)) return this.#state
    return {...this.#state, ...(failure && {failure}), ...(mayBeLost && {mayBeLost})}
  }

  async read(sql: string, args?: Statement["args"]): Promise<readonly Row[]> {
    this.#requireOpen()
    return this.#engine.read(sql, args)
  }

  async write(batch: readonly Statement[], changes?: number): Promise<readonly Result[]> {
    this.#requireOpen()
    try {
      const results = await this.#writer.write(batch, changes)
      this.#failing.recover()
      return results
    } catch (error) {
      if (error instanceof Problem && error.code !== "database_refused") this.#failing.fail(error)
      throw error
    }
  }

  observe(observer: DatabaseObserver): () => void {
    return this.#failing.observe(observer)
  }

  inspectPlace(): Problem | undefined {
    if (this.#ended === undefined && this.#state.is !== "closed") {
      this.#ended = this.#engine.held?.whyLost() ?? this.#whyNotHeld()
      if (this.#ended !== undefined) this.#failing.fail(this.#ended)
    }
    return this.#ended
  }

  async rescueTo(target: string): Promise<Rescued> {
    this.#requireOpen()
    const {held} = this.#engine
    this.inspectPlace()
    const isLost = this.#ended?.code === "database_replaced" || held?.whyLost() !== undefined
    if (held === undefined || !isLost)
      throw new Problem("rescue_not_needed", "what the Host stores is in its place: there is nothing to rescue")
    const release = await this.#writer.hold()
    return held.rescue(target).finally(release)
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
    await runMigration(this.#engine, statements, signal, whatOf)
  }

  async purge(): Promise<Purged> {
    this.#requirePlace()
    return this.#engine.purge()
  }

  async giveBack(pages: number): Promise<void> {
    this.#requirePlace()
    return this.#engine.giveBack(pages)
  }

  async truncateLog(): Promise<void> {
    this.#requirePlace()
    return this.#engine.truncateLog()
  }

  async snapshotTo(target: string, signal?: AbortSignal): Promise<void> {
    this.#requirePlace()
    await snapshotFile(this.#file, target, signal)
  }

  async snapshotPoint(
    target: string,
    last: () => Promise<readonly Statement[]>,
    {released = () => {}, signal}: PointOptions = {},
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
        released()
      }
    }
    return snapshotPoint(this.#file, target, atPoint, signal)
  }

  get #file(): string {
    if (this.location.dialect === "sqlite") return this.location.file
    throw new Problem("database_failed", "a remote database is backed up with its own tool, not by a snapshot")
  }

  async close(): Promise<void> {
    if (this.#state.is === "closed") return
    this.#state = {is: "closed"}
    await this.#writer.idle()
    await this.#engine.close()
  }

  /** A file that took the place of the Host's is neither read nor changed. */
  #requirePlace(): void {
    this.#requireOpen()
    const ended = this.inspectPlace()
    if (ended !== undefined) throw ended
  }

  #requireOpen(): void {
    if (this.#state.is === "closed") throw new Problem("stopping", "the database is closed")
  }
}
