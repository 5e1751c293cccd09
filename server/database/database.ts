import {Problem, type ProblemCode} from "../../shared/problems.ts"
import type {Secret} from "../../shared/secret.ts"
import type {CommitMeter} from "./commit-meter.ts"
import type {Engine, Purged, Result, Row, Statement} from "./engine.ts"
import {openLocal} from "./local.ts"
import {type Fingerprint, snapshotFile, snapshotPoint} from "./maintenance.ts"
import {migrate, schemaVersion} from "./migrate.ts"
import {type Migration, migrations} from "./migrations.ts"
import {Writer} from "./writer.ts"

export type Location =
  | {readonly dialect: "sqlite" /** Absolute path. */; readonly file: string}
  | {readonly dialect: "libsql"; readonly url: string; readonly authToken?: Secret}

export interface OpenOptions {
  readonly runtimeId: string
  /** Ends the wait for a remote lease, and migrations between two statements. */
  readonly signal: AbortSignal
  readonly onLeaseLost: () => void
}

/** The newest change was not stored, for a reason that is the database's. `since` in milliseconds since 1970. */
export interface DatabaseFailure {
  readonly code: ProblemCode
  readonly message: string
  readonly hint: string
  readonly since: number
}

export type DatabaseState =
  | {readonly is: "initialized"; readonly schema: number; readonly failure?: DatabaseFailure}
  | {readonly is: "closed"}

/** Hears of what happens to the database. Called between two groups: it must be short, and never throws. */
export interface DatabaseObserver {
  /** A group is stored, or may be: its outcome was unknown. What is new can be read. */
  committed?(): void
  /** Changes are not stored from now on. */
  failing?(failure: DatabaseFailure): void
  /** Changes are stored again. */
  recovered?(failure: DatabaseFailure): void
}

export interface PointOptions {
  /** Told when the point is fixed, or given up: what was held back for it may go on. */
  readonly released?: () => void
  readonly signal?: AbortSignal
}

/** The Database Host: the project's one database, migrated, with one writer. */
export interface Database {
  readonly location: Location
  readonly state: DatabaseState
  /** The schema versions that this start applied. */
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
  /** A migration of a plugin's own tables; one transaction. */
  migrate(statements: readonly Statement[], signal: AbortSignal): Promise<void>
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

/** Opens and migrates. Throws `database_unopenable`, `database_corrupt`, `database_newer`, `locked`, `stopping`. */
export const openDatabase = async (
  location: Location,
  options: OpenOptions,
  known: readonly Migration[] = migrations,
): Promise<Database> => {
  const engine = await openEngine(location, options)
  try {
    const applied = await migrate(engine, known, options.signal)
    return new DatabaseHost(location, engine, applied, await schemaVersion(engine))
  } catch (error) {
    await engine.close()
    throw error
  }
}

/** Opens a database as it is, of whatever schema. Throws `database_unopenable`, `database_corrupt`, `locked`, `stopping`. */
export const openUnmigrated = async (location: Location, options: OpenOptions): Promise<Database> => {
  const engine = await openEngine(location, options)
  try {
    return new DatabaseHost(location, engine, [], await schemaVersion(engine))
  } catch (error) {
    await engine.close()
    throw error
  }
}

const openEngine = async (location: Location, {runtimeId, signal, onLeaseLost}: OpenOptions): Promise<Engine> => {
  if (location.dialect === "sqlite") return openLocal(location.file)
  const {url, authToken} = location
  // Its client is fifty modules, which the start of a Host with a file has no use for.
  const {openRemote} = await import("./remote.ts")
  return openRemote({url, runtimeId, signal, onLeaseLost, ...(authToken === undefined ? {} : {authToken})})
}

class DatabaseHost implements Database {
  readonly location: Location
  readonly applied: readonly number[]
  readonly #engine: Engine
  readonly #writer: Writer
  #state: DatabaseState
  #failure: DatabaseFailure | undefined
  readonly #observers = new Set<DatabaseObserver>()

  constructor(location: Location, engine: Engine, applied: readonly number[], schema: number) {
    this.location = location
    this.applied = applied
    this.#engine = engine
    this.#writer = new Writer(engine, () => {
      for (const observer of this.#observers) observer.committed?.()
    })
    this.#state = {is: "initialized", schema}
  }

  get commits(): CommitMeter {
    return this.#writer.commits
  }

  get state(): DatabaseState {
    if (this.#state.is === "closed" || this.#failure === undefined) return this.#state
    return {...this.#state, failure: this.#failure}
  }

  async read(sql: string, args?: Statement["args"]): Promise<readonly Row[]> {
    this.#requireOpen()
    return this.#engine.read(sql, args)
  }

  async write(batch: readonly Statement[], changes?: number): Promise<readonly Result[]> {
    this.#requireOpen()
    try {
      const results = await this.#writer.write(batch, changes)
      this.#recover()
      return results
    } catch (error) {
      if (error instanceof Problem && error.code !== "database_refused") this.#fail(error)
      throw error
    }
  }

  #fail({code, message, hint}: Problem): void {
    const wasFailing = this.#failure
    this.#failure = {code, message, hint, since: wasFailing?.since ?? Date.now()}
    if (wasFailing?.code === code) return
    for (const observer of this.#observers) observer.failing?.(this.#failure)
  }

  #recover(): void {
    const failure = this.#failure
    if (failure === undefined) return
    this.#failure = undefined
    for (const observer of this.#observers) observer.recovered?.(failure)
  }

  observe(observer: DatabaseObserver): () => void {
    this.#observers.add(observer)
    return () => void this.#observers.delete(observer)
  }

  async migrate(statements: readonly Statement[], signal: AbortSignal): Promise<void> {
    this.#requireOpen()
    await this.#writer.idle()
    await this.#engine.migrate(statements, signal)
  }

  async purge(): Promise<Purged> {
    this.#requireOpen()
    return this.#engine.purge()
  }

  giveBack(pages: number): Promise<void> {
    this.#requireOpen()
    return this.#engine.giveBack(pages)
  }

  truncateLog(): Promise<void> {
    this.#requireOpen()
    return this.#engine.truncateLog()
  }

  async snapshotTo(target: string, signal?: AbortSignal): Promise<void> {
    await snapshotFile(this.#file, target, signal)
  }

  async snapshotPoint(
    target: string,
    last: () => Promise<readonly Statement[]>,
    {released = () => {}, signal}: PointOptions = {},
  ): Promise<Fingerprint> {
    const atPoint = async (begin: () => Promise<void>) => {
      const release = await this.#writer.hold()
      try {
        await this.#engine.commit(await last())
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

  #requireOpen(): void {
    if (this.#state.is === "closed") throw new Problem("stopping", "the database is closed")
  }
}
