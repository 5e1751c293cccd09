import type {Problem} from "../../shared/problems.ts"
import type {Row, Statement} from "../../shared/sdk/plugin/database.ts"
import type {Rescued} from "./upkeep/rescue.ts"

export type {Row, Statement}

export interface Result {
  /** What the statement returned, for a query or a RETURNING clause. */
  readonly rows: readonly Row[]
  /** Rows inserted, updated or deleted; 0 for a statement that returns rows. */
  readonly changes: number
}

/** A connection to one database, file or remote. One contract suite runs against both. */
export interface Engine {
  read(sql: string, args?: Statement["args"]): Promise<readonly Row[]>
  /**
   * Runs the statements in one transaction: all are durable when it resolves, none is stored when it rejects. Throws
   * `StatementFailed` where one of them is at fault, `AnswerLost` where they are stored and no more is known; else a
   * `Problem`, of which `database_outcome_unknown` alone leaves open whether they were stored.
   */
  commit(statements: readonly Statement[]): Promise<readonly Result[]>
  /** Like `commit`, one statement at a time, so that an abort between two ends it with nothing stored; `begins` hears each index. */
  migrate(statements: readonly Statement[], signal: AbortSignal, begins?: (index: number) => void): Promise<void>
  /** Whether an abort is heard between two statements of `migrate`, or only before the first. */
  readonly canEndBetween: boolean
  /** Rids the storage of what was overwritten or deleted before, as far as it can: see `Purged`. */
  purge(): Promise<Purged>
  /** Gives so many unused pages back to the disk, at most. Throws `compact_unavailable` for a remote database. */
  giveBack(pages: number): Promise<void>
  /** Takes what is in the write-ahead log into the file, and empties it. */
  truncateLog(): Promise<void>
  /** Of a database that is a file. */
  readonly held?: HeldFile
  close(): Promise<void>
  /** Hears from now on of requests that a remote database, and of syncs that the disk, has not answered in time. */
  watch?(watcher: EngineWatcher): void
  /** Of a remote database: false from the moment at which another Host may hold it. */
  readonly mayAct?: boolean
}

/** Called at once: it must be short, and never throws. */
export interface EngineWatcher {
  /** A request was not answered in time; `problem` says of what. */
  missed(problem: Problem): void
  /** The first answer after that. */
  answered(): void
}

/** A group is stored, once, but what its statements returned was lost with the answer. */
export class AnswerLost extends Error {
  constructor() {
    super("the change is stored, but the remote database's answer was lost")
    this.name = "AnswerLost"
  }
}

/** The file that a connection has open, whatever its path names by now. */
export interface HeldFile {
  /** Why what is stored is no longer where the path leads; undefined while it is. */
  whyLost(): Problem | undefined
  /** Writes what it holds into a new file; what is stored later is not in it. Throws `rescue_failed`. */
  rescue(target: string): Promise<Rescued>
}

/**
 * What a purge could promise of what was overwritten or deleted before it. `file`: nothing of it is in the file or its log.
 * `row`: nothing of what stood in its place, nor in the log; copies that SQLite left when it moved rows may stand in unused
 * parts of a file too large to be written anew meanwhile. `log`: somebody reads the file, so its log could not be emptied.
 * `remote`: what a remote database keeps is known to its own tools.
 */
export type Purged = "file" | "row" | "log" | "remote"

/** The first statement of a batch after which a purge follows: what the batch frees is overwritten with zeros. */
export const overwriting: Statement = {sql: "PRAGMA secure_delete=ON"}

/** One statement of a commit was refused, and with it the whole transaction. */
export class StatementFailed extends Error {
  /** Which of the statements, from 0; undefined where the driver does not tell. */
  readonly index: number | undefined

  constructor(index: number | undefined, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), {cause})
    this.name = "StatementFailed"
    this.index = index
  }
}
