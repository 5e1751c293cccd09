export interface PluginMigration {
  readonly name: string
  /** `table("notes")` is the plugin's own name for its table. */
  readonly up: (table: (name: string) => string) => readonly string[]
}

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
  /** Run in order, each once and in a transaction of its own, before the generation is committed. Call it in `setup`. */
  migrate(migrations: readonly PluginMigration[]): void
  read(sql: string, args?: readonly SqlValue[]): Promise<readonly Row[]>
  /** One atomic batch; durable when it resolves. */
  write(statements: readonly Statement[]): Promise<void>
}
