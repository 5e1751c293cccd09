import type {Static, TSchema} from "../../type.ts"

interface Step {
  readonly name: string
  /** `table("notes")` is the plugin's own name for its table. */
  readonly up: (table: (name: string) => string) => readonly string[]
}

/**
 * A step of a plugin's tables. It says whether it can be undone: `undo`, what takes it away again, where everything that was
 * stored before stays as it was; else `irreversible`, why. Before one that cannot be undone a checkpoint is made and verified. One that
 * says neither counts as one that cannot, where the plugin has tables already.
 */
export type PluginMigration = Step &
  (
    | {readonly undo: string; readonly irreversible?: never}
    | {readonly irreversible: string; readonly undo?: never}
    | {readonly undo?: never; readonly irreversible?: never}
  )

export type SqlValue = string | number | bigint | boolean | null | ArrayBuffer | Uint8Array
export interface Statement {
  readonly sql: string
  readonly args?: readonly SqlValue[]
}
export type Row = Readonly<Record<string, SqlValue>>

/** What rows are: as the schema says, where there is one. */
export type RowOf<S extends TSchema | undefined> = S extends TSchema ? Static<S> : Row

/** A statement of `write`; `row` is the schema of the rows that its `RETURNING` gives. */
export interface WriteStatement extends Statement {
  readonly row?: TSchema
}

/** What one statement of a stored batch did. */
export interface WriteResult<R = Row> {
  /** How many rows it inserted, updated or deleted. */
  readonly changes: number
  /** The rows of its `RETURNING`, or of a query; else none. */
  readonly rows: readonly R[]
}

/** One result for each statement, in their order. */
export type WriteResults<All extends readonly WriteStatement[]> = {
  readonly [K in keyof All]: WriteResult<All[K] extends {readonly row: infer S extends TSchema} ? Static<S> : Row>
}

/** The plugin's own tables in the project's database. */
export interface PluginDatabase {
  /** The full name of one of the plugin's tables. */
  table(name: string): string
  /**
   * Run in order, each once by its name, before the generation is committed: those that are missing in one transaction, all or
   * none. Call it in `setup`. Never change, rename or remove one that has run: a plugin that lacks one of its database's is refused
   * (`plugin_newer`).
   */
  migrate(migrations: readonly PluginMigration[]): void
  /**
   * With a schema in `row`, each row is checked by it and has its type; 0 and 1 are read as a boolean where it asks for one.
   * Throws `row_invalid`, which names the column and what was found, but not the value of a text.
   */
  read<S extends TSchema | undefined = undefined>(
    sql: string,
    args?: readonly SqlValue[],
    row?: S,
  ): Promise<readonly RowOf<S>[]>
  /**
   * One atomic batch; durable when it resolves, with a result for each statement. Throws `row_invalid` for a row that does not
   * fit the statement's `row`: the batch is stored all the same. Throws `database_outcome_unknown` where a remote database stored
   * the batch and its answer with the rows was lost.
   */
  write<const All extends readonly WriteStatement[]>(statements: All): Promise<WriteResults<All>>
}
