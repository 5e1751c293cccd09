import {Named, Optional, orNull, type Static, Type} from "../type.ts"

const Bytes = (description: string) => Type.Integer({description: `${description}, in bytes`})

/** The size of the database, its growth, and what retention dropped from it. */
export const DatabaseInfo = Named("DatabaseInfo", {
  dialect: Type.Enum(["sqlite", "libsql"]),
  schema: Type.Integer({description: "Version of the Host's own tables"}),
  storage: orNull(
    Named("DatabaseStorage", {
      file: Bytes("The file, without its log"),
      log: Bytes("The write-ahead log"),
      used: Bytes("Space in the file that rows and indexes use"),
      unused: Bytes("Free space inside the file, which the database reuses"),
      givesBack: Type.Boolean({description: "True if a running Host can return the unused space to the disk"}),
    }),
    {description: "Null for a remote database"},
  ),
  files: Named("StoredFiles", {
    count: Type.Integer({description: "Files of messages in `data/files/`"}),
    bytes: Bytes("Their total size"),
    quota: Bytes("`files.quota`: above it, the Host rejects messages with new files"),
  }),
  disk: Type.Object({
    free: Bytes("Free space for the Host's own folders; the smallest value if they are on several disks"),
    pauseBelow: Bytes("Ingress pauses below this"),
    resumeAt: Bytes("Ingress resumes at this"),
  }),
  growth: orNull(
    Type.Object({
      bytesPerDay: Type.Integer({description: "Growth of `used` in a day; negative if it shrank"}),
      days: Type.Number({description: "The number of days measured, at most 7"}),
    }),
    {description: "Null until there are measurements of an hour"},
  ),
  daysLeft: orNull(Type.Number(), {description: "Days until ingress pauses at this growth; null without growth"}),
  retention: Type.Array(
    Named("RetentionView", {
      part: Type.String({description: "The key under `retention` in the configuration"}),
      age: Type.String(),
      rows: orNull(Type.Integer(), {description: "The most rows that the Host keeps; null for no limit"}),
      dropped: Type.Integer({description: "Rows dropped since the project began; of `unhandled`, only their content"}),
      undelivered: Type.Integer({description: "Of these, rows that nobody had decided about"}),
      lastAt: orNull(Type.String({format: "date-time"})),
    }),
  ),
  tables: Optional.Array(Type.Object({name: Type.String(), rows: Type.Integer(), bytes: Bytes("With its indexes")}), {
    description: "With `?tables=true`, the largest first; absent for a remote database",
  }),
})
export type DatabaseInfo = Static<typeof DatabaseInfo>

export const Compacted = Named("Compacted", {
  dryRun: Type.Boolean(),
  dropped: Type.Integer({description: "Rows that retention dropped before"}),
  before: Bytes("The file before"),
  after: Bytes("The file after; an upper bound in a dry run"),
})
export type Compacted = Static<typeof Compacted>

/** A compaction by a running Host. It continues whether or not a client polls its progress. */
export const CompactTask = Named("CompactTask", {
  id: Type.String(),
  state: Type.Enum(["running", "done", "failed"]),
  step: Type.String({description: "The current step"}),
  done: Type.Integer({description: "Rows dropped, or bytes freed"}),
  total: Type.Integer({description: "Bytes to free; 0 if unknown"}),
  result: orNull(Compacted, {description: "Null until it is done"}),
  problem: orNull(Type.Object({code: Type.String(), detail: Type.String(), hint: Type.String()})),
})
export type CompactTask = Static<typeof CompactTask>

export const DatabaseCheck = Named("DatabaseCheck", {
  damaged: Type.Array(Type.Object({table: Type.String(), finding: Type.String({description: "SQLite's first line"})})),
  unchecked: Type.Array(Type.String(), {description: "Tables too busy to check: the log would grow too much"}),
})
export type DatabaseCheck = Static<typeof DatabaseCheck>

export const Rescued = Named("Rescued", {
  path: Type.String({description: "The new file, readable only by its owner"}),
  size: Bytes("The new file"),
  rows: Type.Integer({description: "Rows of all tables together"}),
  database: Type.String({description: "The configured path of the database"}),
})
export type Rescued = Static<typeof Rescued>

/** A migration that svc applied or would apply. */
export const MigrationView = Type.Object({
  version: Type.Integer(),
  name: Type.String(),
  undo: orNull(Type.String(), {description: "How to undo it; null if it cannot be undone"}),
  irreversible: orNull(Type.String(), {description: "Why it cannot be undone; null if it can"}),
  seconds: Type.Number(),
})
export type MigrationView = Static<typeof MigrationView>

/** The result of `svc database migrate`. With `dryRun`, svc migrates a temporary copy. */
export const MigrationReport = Type.Object({
  dryRun: Type.Boolean(),
  from: Type.Integer({description: "Schema before"}),
  to: Type.Integer({description: "Schema after"}),
  migrations: Type.Array(MigrationView),
  checkpoint: orNull(Type.String(), {description: "The verified checkpoint before a migration that cannot be undone"}),
  plugins: Type.Array(Type.Object({plugin: Type.String(), migrations: Type.Array(Type.String())}), {
    description:
      "Plugins' migrations in the database. Their code may add more, which is known only after their setup has run",
  }),
  findings: Type.Array(Type.String(), {description: "Findings of the integrity and foreign key checks afterwards"}),
  seconds: Type.Number({description: "Duration of the migrations only"}),
  size: orNull(Type.Object({before: Bytes("The database before"), after: Bytes("The database after")}), {
    description: "Null for a remote database, except in a dry run, which reports its copy",
  }),
})
export type MigrationReport = Static<typeof MigrationReport>
