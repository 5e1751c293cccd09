import type {Rescued} from "../../../shared/api/database.ts"
import type {Problem} from "../../../shared/problems.ts"
import type {Row, SqlValue, Statement} from "../../../shared/sdk/session/database.ts"

export type {Row, SqlValue, Statement}

export interface Result {
  /** The rows of a query or of a RETURNING clause. */
  readonly rows: readonly Row[]
  /** Inserted, updated or deleted rows; 0 for a statement that returns rows. */
  readonly changes: number
}

/** A connection to one database, file or remote. One contract suite runs against both. */
export interface Engine {
  read(sql: string, args?: Statement["args"]): Promise<readonly Row[]>
  /**
   * Runs the statements in one transaction: all are durable when it resolves, none is stored when it rejects. Throws
   * `StatementFailed` if a statement is at fault, `AnswerLost` if they are stored but their results are lost, and a
   * `Problem` otherwise. Only `database_outcome_unknown` leaves open whether they were stored.
   */
  commit(statements: readonly Statement[]): Promise<readonly Result[]>
  /** Like `commit`, one statement at a time: an abort in between stores nothing. `begins` receives each index. */
  migrate(statements: readonly Statement[], signal: AbortSignal, begins?: (index: number) => void): Promise<void>
  /** The number of the newest group that is known to be stored; -1 until the database counts them. */
  readonly group: number
  /** True if `migrate` reacts to an abort between two statements; false if only before the first. */
  readonly canEndBetween: boolean
  /** Erases overwritten and deleted content from the storage, as far as possible: see `Purged`. Writers wait. */
  purge(): Promise<Purged>
  /** Returns at most this number of unused pages to the disk. Throws `compact_unavailable` for a remote database. */
  giveBack(pages: number): Promise<void>
  /** Copies the write-ahead log into the file and empties the log. */
  truncateLog(): Promise<void>
  /** Only for a database file. */
  readonly held?: HeldFile
  close(): Promise<void>
  /** Reports requests that a remote database, and syncs that the disk, did not complete in time. */
  watch?(watcher: EngineWatcher): void
  /** For a remote database: false from the moment at which another Host may hold it. */
  readonly mayAct?: boolean
  /** For a remote database: why it does not renew this Host's lease now. */
  readonly unrenewed?: string | undefined
}

/** The methods are called at once: they must be short and never throw. */
export interface EngineWatcher {
  /** A request was not answered in time; `problem` names it. */
  missed(problem: Problem): void
  /** The first answer after that. */
  answered(): void
}

/** A group is stored exactly once, but the results of its statements were lost with the answer. */
export class AnswerLost extends Error {
  constructor() {
    super("the change is stored, but the remote database's answer was lost")
    this.name = "AnswerLost"
  }
}

/** A connection or a database of which only the rows are read. */
export type Reader = Pick<Engine, "read">

export type RescuedFile = Omit<Rescued, "database">

/** The file that a connection has open, even if its path now names another file. */
export interface HeldFile {
  /** Why the stored data is no longer at the path; undefined while it is. */
  whyLost(): Problem | undefined
  /** True once after another program has written to the files. */
  wasTouched(): boolean
  /** Writes the stored data into a new file. Later changes are not in it. Throws `rescue_failed`. */
  rescue(target: string): Promise<RescuedFile>
}

/**
 * What a purge can promise about content that was overwritten or deleted before it.
 *
 * - `file`: neither the file nor its log contains any of it.
 * - `row`: neither its place in the file nor the log contains it. Copies that SQLite left when it moved rows may
 *   remain in unused parts of a file that is too large to rewrite now.
 * - `log`: another process reads the file, so its log could not be emptied.
 * - `remote`: only the tools of a remote database know what it keeps.
 */
export type Purged = "file" | "row" | "log" | "remote"

/** The first statement of a batch that a purge follows: SQLite overwrites freed content with zeros. */
export const overwriting: Statement = {sql: "PRAGMA secure_delete=ON"}

/** Stores the number of a group, in its own batch. */
export const storingGroup = (number: number) => ({sql: "UPDATE svc_group SET number = ? WHERE id = 1", args: [number]})

/** A statement of a commit was refused, and the whole transaction with it. */
export class StatementFailed extends Error {
  /** The index of the statement, from 0; undefined if the driver does not say. */
  readonly index: number | undefined

  constructor(index: number | undefined, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), {cause})
    this.name = "StatementFailed"
    this.index = index
  }
}
