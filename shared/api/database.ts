import {type Static, Type} from "../type.ts"
import {Named, orNull} from "./schemas.ts"

const closed = {additionalProperties: false}
const Bytes = (description: string) => Type.Integer({description: `${description}, in bytes`})

/** What a database takes, how it grows, and what was dropped from it. */
export const DatabaseInfo = Named("DatabaseInfo", {
  dialect: Type.Enum(["sqlite", "libsql"]),
  schema: Type.Integer({description: "Version of the Host's own tables"}),
  storage: orNull(
    Named("DatabaseStorage", {
      file: Bytes("The file, without its log"),
      log: Bytes("The write-ahead log"),
      used: Bytes("What rows and indexes take of the file"),
      unused: Bytes("What is free inside of the file, and is used again"),
      givesBack: Type.Boolean({description: "A running Host can give what is unused back to the disk"}),
    }),
    {description: "Null for a remote database"},
  ),
  files: Named("StoredFiles", {
    count: Type.Integer({description: "Files of messages in `data/files/`"}),
    bytes: Bytes("All of them together"),
    quota: Bytes("`files.quota`: with more, a message with a new file is refused"),
  }),
  disk: Type.Object({
    free: Bytes("Free space for the Host's own folders; where they are on several disks, the least"),
    pauseBelow: Bytes("Ingress pauses with less"),
    resumeAt: Bytes("Ingress resumes with so much again"),
  }),
  growth: orNull(
    Type.Object({
      bytesPerDay: Type.Integer({description: "By how much `used` grew in a day; below 0 where it shrank"}),
      days: Type.Number({description: "Over so many days, 7 at most"}),
    }),
    {description: "Null until an hour was seen"},
  ),
  daysLeft: orNull(Type.Number(), {
    description: "Until ingress pauses, if it goes on growing like this; null where it does not grow",
  }),
  retention: Type.Array(
    Named("RetentionView", {
      part: Type.String({description: "As under `retention` in the configuration"}),
      age: Type.String(),
      rows: Type.Integer({description: "The most that are kept"}),
      dropped: Type.Integer({description: "Rows dropped since the project began"}),
      undelivered: Type.Integer({description: "Of these, what nobody had decided about"}),
      lastAt: orNull(Type.String({format: "date-time"})),
    }),
  ),
  tables: Type.Optional(
    Type.Array(Type.Object({name: Type.String(), rows: Type.Integer(), bytes: Bytes("With its indexes")}), {
      description: "With `?tables=true`, the largest first; not of a remote database",
    }),
  ),
})
export type DatabaseInfo = Static<typeof DatabaseInfo>

export const DatabaseQuery = Type.Object({
  tables: Type.Optional(Type.Boolean({default: false, description: "Count the rows and bytes of each table"})),
})

export const CompactRequest = Named(
  "CompactRequest",
  {dryRun: Type.Optional(Type.Boolean({default: false, description: "Only say what it would give back"}))},
  closed,
)

export const Compacted = Named("Compacted", {
  dryRun: Type.Boolean(),
  dropped: Type.Integer({description: "Rows that retention dropped before"}),
  before: Bytes("The file before"),
  after: Bytes("The file after; of a dry run, at most"),
})
export type Compacted = Static<typeof Compacted>

/** A compaction by a running Host, which goes on whether or not anybody asks how far it is. */
export const CompactTask = Named("CompactTask", {
  id: Type.String(),
  state: Type.Enum(["running", "done", "failed"]),
  step: Type.String({description: "What is being done"}),
  done: Type.Integer({description: "Rows dropped, or bytes given back"}),
  total: Type.Integer({description: "Bytes to give back; 0 where it is not known"}),
  result: orNull(Compacted, {description: "Null until it is done"}),
  problem: orNull(Type.Object({code: Type.String(), detail: Type.String(), hint: Type.String()})),
})
export type CompactTask = Static<typeof CompactTask>

export const LastCompaction = Named("LastCompaction", {task: orNull(CompactTask)})

export const RescueRequest = Named(
  "RescueRequest",
  {
    to: Type.Optional(
      Type.String({minLength: 1, description: "Absolute path of a new file; in data/ of the project when left out"}),
    ),
  },
  closed,
)

export const Rescued = Named("Rescued", {
  path: Type.String({description: "The new file, which only its owner may read"}),
  size: Bytes("The new file"),
  rows: Type.Integer({description: "In all tables together"}),
  database: Type.String({description: "Where the database belongs, by the configuration"}),
})
export type Rescued = Static<typeof Rescued>

/** A migration that was applied, or would be. */
export const MigrationView = Type.Object({
  version: Type.Integer(),
  name: Type.String(),
  undo: orNull(Type.String(), {description: "What takes it away again; null where it cannot be undone"}),
  irreversible: orNull(Type.String(), {description: "Why it cannot be undone; null where it can"}),
  seconds: Type.Number(),
})
export type MigrationView = Static<typeof MigrationView>

/** What `svc database migrate` did; with `dryRun`, to a copy that is gone again. */
export const MigrationReport = Type.Object({
  dryRun: Type.Boolean(),
  from: Type.Integer({description: "Schema before"}),
  to: Type.Integer({description: "Schema after"}),
  migrations: Type.Array(MigrationView),
  checkpoint: orNull(Type.String(), {description: "Made and verified before, where one of them cannot be undone"}),
  plugins: Type.Array(Type.Object({plugin: Type.String(), migrations: Type.Array(Type.String())}), {
    description:
      "Plugins' own migrations that the database has; what their code adds is known once their setup has run",
  }),
  findings: Type.Array(Type.String(), {description: "What integrity and foreign key checks found afterwards"}),
  seconds: Type.Number({description: "Of the migrations alone"}),
  size: orNull(Type.Object({before: Bytes("The database before"), after: Bytes("The database after")}), {
    description: "Null for a remote database, but for a dry run, which has those of its copy",
  }),
})
export type MigrationReport = Static<typeof MigrationReport>
