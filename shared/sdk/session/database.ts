import type {Static, TSchema} from "../../type.ts"

interface Step {
  readonly name: string
  /** The statements of the step. `table("notes")` returns the full name of the plugin's table. */
  readonly up: (table: (name: string) => string) => readonly string[]
}

/**
 * A migration of a plugin's tables. It says in words whether it can be undone:
 *
 * - `undo`: how to undo it. All data from before must stay unchanged.
 * - `irreversible`: why it cannot be undone. svc first makes and verifies a checkpoint.
 * - If neither is given and the plugin already has tables, svc treats it as irreversible.
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

/** The type of rows: that of the schema, if there is one. */
export type RowOf<S extends TSchema | undefined> = S extends TSchema ? Static<S> : Row

/** A statement of `write`. `row` is the schema of the rows that its `RETURNING` returns. */
export interface WriteStatement extends Statement {
  readonly row?: TSchema
}

/** The result of one statement of a stored batch. */
export interface WriteResult<R = Row> {
  /** How many rows the statement inserted, updated or deleted. */
  readonly changes: number
  /** The rows of its `RETURNING`, or of a query; otherwise empty. */
  readonly rows: readonly R[]
}

/** One result for each statement, in order. */
export type WriteResults<All extends readonly WriteStatement[]> = {
  readonly [K in keyof All]: WriteResult<All[K] extends {readonly row: infer S extends TSchema} ? Static<S> : Row>
}

/** The plugin's own tables in the project's database. */
export interface PluginDatabase {
  /** Returns the full name of one of the plugin's tables. */
  table(name: string): string
  /**
   * Declares migrations; call it in `setup`. svc runs each of them once, by name and in order, before it commits the
   * generation: the missing ones in one transaction, all or none. Never change, rename or remove a migration that has
   * run. svc refuses a plugin that lacks one of the migrations in the database (`plugin_newer`).
   */
  migrate(migrations: readonly PluginMigration[]): void
  /**
   * Runs a query. With a schema in `row`, svc checks each row and types it; 0 and 1 become booleans where the schema
   * asks for one. Throws `row_invalid`, which names the column and the type found, but never the value of a text.
   */
  read<S extends TSchema | undefined = undefined>(
    sql: string,
    args?: readonly SqlValue[],
    row?: S,
  ): Promise<readonly RowOf<S>[]>
  /**
   * Runs one atomic batch. It is durable when it resolves, with a result for each statement. Throws `row_invalid` if a
   * returned row does not fit the statement's `row`; the batch is stored nevertheless. Throws
   * `database_outcome_unknown` if a remote database stored the batch but its response with the rows was lost.
   */
  write<const All extends readonly WriteStatement[]>(statements: All): Promise<WriteResults<All>>
}
