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
  read(sql: string, args?: readonly SqlValue[]): Promise<readonly Row[]>
  /** One atomic batch; durable when it resolves. */
  write(statements: readonly Statement[]): Promise<void>
}
