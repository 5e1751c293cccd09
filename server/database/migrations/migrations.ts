import {agentSchema, mcpSchema, memberSchema, saidSchema} from "./agent-schema.ts"
import {buttonSchema} from "./button-schema.ts"
import {capacitySchema} from "./capacity-schema.ts"
import {cursorSchema} from "./cursor-schema.ts"
import {ageSchema, eventLogSchema, filledGapSchema, plannedGapSchema} from "./event-log-schema.ts"
import {fileSchema} from "./file-schema.ts"
import {jobSchema} from "./job-schema.ts"
import {memorySchema, summarySchema} from "./memory-schema.ts"
import {plannedSendSchema, pluginStateSchema, timerListIndex, timerSchema} from "./plugin-act-schema.ts"
import {stateIndexSchema} from "./state-index-schema.ts"

/** A change of the schema. It runs once, in order, in one transaction with its version row. */
interface Change {
  readonly version: number
  readonly name: string
  readonly statements: readonly string[]
}

/** Keeps all stored data unchanged. `undo` says how to remove the rest. */
export type ReversibleMigration = Change & {readonly undo: string}

/** Loses information about the earlier data; `irreversible` says why. A checkpoint is made first. */
export type IrreversibleMigration = Change & {readonly irreversible: string}

/** Every migration declares whether it can be undone. */
export type Migration = ReversibleMigration | IrreversibleMigration

export const isIrreversible = (migration: Migration): migration is IrreversibleMigration => "irreversible" in migration

/** All migrations of the Host's own tables. New ones are only appended. */
export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: "host",
    undo: "nothing was there before it",
    statements: [
      "CREATE TABLE svc_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
      "CREATE TABLE svc_runs (runtime_id TEXT PRIMARY KEY, started_at INTEGER NOT NULL, ended_at INTEGER, exit_code INTEGER, reason TEXT, mode TEXT NOT NULL, version TEXT NOT NULL, runtime TEXT NOT NULL)",
      "CREATE INDEX svc_runs_started ON svc_runs (started_at)",
    ],
  },
  {
    version: 2,
    name: "generations",
    undo: "drop generations",
    statements: [
      "CREATE TABLE generations (number INTEGER PRIMARY KEY AUTOINCREMENT, committed_at INTEGER NOT NULL, runtime_id TEXT NOT NULL, reason TEXT NOT NULL, config TEXT NOT NULL, config_sha256 TEXT NOT NULL, plugins TEXT NOT NULL)",
    ],
  },
  {
    version: 3,
    name: "messages",
    undo: "drop inbox, inbox_marks, outbox and svc_assert",
    statements: [
      "CREATE TABLE inbox (seq INTEGER PRIMARY KEY AUTOINCREMENT, endpoint TEXT NOT NULL, event_id TEXT NOT NULL, conversation TEXT NOT NULL, type TEXT NOT NULL, received_at INTEGER NOT NULL, event TEXT NOT NULL, raw TEXT, UNIQUE (endpoint, event_id))",
      "CREATE TABLE inbox_marks (seq INTEGER NOT NULL, handler TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'pending', attempt INTEGER NOT NULL DEFAULT 0, runtime_id TEXT, started_at INTEGER, ended_at INTEGER, error TEXT, PRIMARY KEY (seq, handler)) WITHOUT ROWID",
      "CREATE INDEX inbox_marks_open ON inbox_marks (seq) WHERE state IN ('pending', 'running')",
      "CREATE TABLE outbox (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, endpoint TEXT NOT NULL, channel TEXT NOT NULL, content TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'queued', attempt INTEGER NOT NULL DEFAULT 0, not_before INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL, ended_at INTEGER, platform_ids TEXT, error TEXT, inbox_seq INTEGER, handler TEXT, ordinal INTEGER)",
      "CREATE INDEX outbox_queued ON outbox (endpoint, channel, seq) WHERE state = 'queued'",
      "CREATE INDEX outbox_sending ON outbox (seq) WHERE state = 'sending'",
      "CREATE TABLE svc_assert (holds INTEGER NOT NULL CHECK (holds = 1))",
    ],
  },
  {
    version: 4,
    name: "plugins",
    undo: "drop svc_plugin_migrations",
    statements: [
      "CREATE TABLE svc_plugin_migrations (plugin TEXT NOT NULL, name TEXT NOT NULL, applied_at INTEGER NOT NULL, PRIMARY KEY (plugin, name)) WITHOUT ROWID",
    ],
  },
  {
    version: 5,
    name: "gaps",
    undo: "drop endpoint_online and endpoint_gaps",
    statements: [
      "CREATE TABLE endpoint_online (endpoint TEXT PRIMARY KEY, seen_at INTEGER NOT NULL) WITHOUT ROWID",
      "CREATE TABLE endpoint_gaps (seq INTEGER PRIMARY KEY AUTOINCREMENT, endpoint TEXT NOT NULL, from_at INTEGER NOT NULL, to_at INTEGER, reason TEXT NOT NULL)",
      "CREATE UNIQUE INDEX endpoint_gaps_open ON endpoint_gaps (endpoint) WHERE to_at IS NULL",
    ],
  },
  {
    version: 6,
    name: "delivery",
    undo: "drop prompts, the columns failures and crashes of inbox_marks, and early of outbox",
    statements: [
      "ALTER TABLE inbox_marks ADD COLUMN failures INTEGER NOT NULL DEFAULT 0",
      "ALTER TABLE inbox_marks ADD COLUMN crashes INTEGER NOT NULL DEFAULT 0",
      "CREATE INDEX inbox_marks_aside ON inbox_marks (state, seq) WHERE state IN ('failed', 'dead', 'held')",
      "ALTER TABLE outbox ADD COLUMN early INTEGER NOT NULL DEFAULT 0",
      "CREATE UNIQUE INDEX outbox_early ON outbox (inbox_seq, handler, ordinal) WHERE early = 1",
      "CREATE TABLE prompts (id TEXT PRIMARY KEY, handler TEXT NOT NULL, endpoint TEXT NOT NULL, channel TEXT NOT NULL, user TEXT NOT NULL, data TEXT NOT NULL, expires_at INTEGER NOT NULL, asked_seq INTEGER NOT NULL, answer_seq INTEGER) WITHOUT ROWID",
      "CREATE UNIQUE INDEX prompts_open ON prompts (endpoint, channel, user) WHERE answer_seq IS NULL",
      "CREATE INDEX prompts_answered ON prompts (answer_seq) WHERE answer_seq IS NOT NULL",
    ],
  },
  {
    version: 7,
    name: "outbox",
    undo: "drop the columns reason and spared of outbox",
    statements: [
      "ALTER TABLE outbox ADD COLUMN reason TEXT",
      "ALTER TABLE outbox ADD COLUMN spared INTEGER NOT NULL DEFAULT 0",
      "CREATE INDEX outbox_stuck ON outbox (state, seq) WHERE state IN ('failed', 'dead', 'unknown', 'held')",
    ],
  },
  {version: 8, name: "events", undo: "drop the tables event* and their triggers", statements: eventLogSchema},
  {
    version: 9,
    name: "workroom",
    undo: "drop the tables workroom_*",
    statements: [
      "CREATE TABLE workroom_events (seq INTEGER PRIMARY KEY, item INTEGER NOT NULL, record TEXT NOT NULL)",
      "CREATE TABLE workroom_catalog (item INTEGER PRIMARY KEY, data TEXT NOT NULL)",
      "CREATE TABLE workroom_head (id INTEGER PRIMARY KEY CHECK (id = 1), origin TEXT NOT NULL, authority TEXT NOT NULL, seq INTEGER NOT NULL, hash TEXT NOT NULL)",
      "CREATE TABLE workroom_told (id INTEGER PRIMARY KEY CHECK (id = 1), seq INTEGER NOT NULL)",
    ],
  },
  {version: 10, name: "jobs", undo: "drop the tables job_* and their triggers", statements: jobSchema},
  {
    version: 11,
    name: "capacity",
    undo: "drop inbox_keys, retention_dropped and capacity_samples",
    statements: capacitySchema,
  },
  {
    version: 12,
    name: "event-authority",
    undo: "drop the column authority of event_retention",
    statements: [
      "ALTER TABLE event_retention ADD COLUMN authority TEXT",
      "UPDATE event_retention SET authority = (SELECT value FROM svc_meta WHERE key = 'authority')",
    ],
  },
  {
    version: 13,
    name: "planned-gaps",
    undo: "drop the trigger event_gap and create it as in 8",
    statements: plannedGapSchema,
  },
  {
    version: 14,
    name: "state-indexes",
    undo: "drop outbox_replies and the indexes *_state, and create those of 3, 6, 7 and 10 again that it dropped",
    statements: stateIndexSchema,
  },
  {
    version: 15,
    name: "cursors",
    undo: "drop endpoint_cursors and the column backfill of endpoint_gaps, and create event_gap again without it",
    statements: [...cursorSchema, ...filledGapSchema],
  },
  {
    version: 16,
    name: "planned-sends",
    undo: "drop the indexes outbox_key and outbox_scheduled, and the columns plugin, key and user of outbox",
    statements: plannedSendSchema,
  },
  {version: 17, name: "timers", undo: "drop timers", statements: timerSchema},
  {version: 18, name: "plugin-state", undo: "drop plugin_state", statements: pluginStateSchema},
  {
    version: 19,
    name: "files",
    undo: "drop files, file_totals, outbox_files and the triggers outbox_files_*",
    statements: fileSchema,
  },
  {version: 20, name: "buttons", undo: "drop buttons and its triggers", statements: buttonSchema},
  {version: 21, name: "agents", undo: "drop the tables agent_* and their triggers", statements: agentSchema},
  {
    version: 22,
    name: "metric-history",
    undo: "drop metric_history",
    statements: [
      // `span` is 60000 or 3600000, `at` is its start, both in milliseconds; `data` is JSON.
      "CREATE TABLE metric_history (span INTEGER NOT NULL, at INTEGER NOT NULL, data TEXT NOT NULL, PRIMARY KEY (span, at)) WITHOUT ROWID",
    ],
  },
  {
    version: 23,
    name: "alerts",
    undo: "drop alerts, alert_targets and alert_beat",
    statements: [
      // `data` is JSON: an alert, and the last message to a target. Few rows, each read once.
      "CREATE TABLE alerts (key TEXT PRIMARY KEY, data TEXT NOT NULL) WITHOUT ROWID",
      "CREATE TABLE alert_targets (name TEXT PRIMARY KEY, data TEXT NOT NULL) WITHOUT ROWID",
      "CREATE TABLE alert_beat (id INTEGER PRIMARY KEY CHECK (id = 1), at INTEGER NOT NULL)",
    ],
  },
  {
    version: 24,
    name: "repeats",
    undo: "drop the index inbox_repeated, and the columns content_hash and repeats of inbox",
    statements: [
      // NULL for events of the Host itself, of an older svc, and without content.
      "ALTER TABLE inbox ADD COLUMN content_hash TEXT",
      // How many deliveries under the event's id differed from it.
      "ALTER TABLE inbox ADD COLUMN repeats INTEGER NOT NULL DEFAULT 0",
      "CREATE INDEX inbox_repeated ON inbox (seq) WHERE repeats > 0",
    ],
  },
  {
    version: 25,
    name: "ages",
    undo: "drop ingress_pauses, outbox_important, any_age of inbox_marks, kept_since of inbox, and not_after, aged_from and important of outbox; the triggers may stay",
    statements: ageSchema,
  },
  {version: 26, name: "timer-lists", undo: "drop the index timers_of", statements: [timerListIndex]},
  {
    version: 27,
    name: "raw-events",
    undo: "drop the trigger inbox_raw_ended",
    statements: [
      // The platform's own event is for handlers alone.
      `CREATE TRIGGER inbox_raw_ended AFTER UPDATE OF state ON inbox_marks WHEN NEW.state IN ('handled', 'discarded') BEGIN
        UPDATE inbox SET raw = NULL WHERE seq = NEW.seq AND raw IS NOT NULL AND NOT EXISTS (
          SELECT 1 FROM inbox_marks m WHERE m.seq = NEW.seq AND m.state NOT IN ('handled', 'discarded')); END`,
    ],
  },
  {
    version: 28,
    name: "agents-among-strangers",
    undo: "drop agent_mcp_tools, agent_members, agent_memories, and memory_index if it exists",
    statements: [...mcpSchema, ...memberSchema, ...memorySchema],
  },
  {
    version: 29,
    name: "agents-that-listen",
    undo: "drop agent_said, the triggers agent_said_left and agent_said_gone, agent_vectors, the trigger agent_vector_gone, the indexes agent_runs_summary and agent_runs_summary_of, summary_due of agent_runs, and since of agent_memories",
    statements: [...summarySchema, ...saidSchema],
  },
]

/** The schema version of this svc. */
export const newestSchema = migrations.at(-1)?.version ?? 0

/** Returns the schema version that a migration leads to. */
export const versionOf = (name: string): number => {
  const found = migrations.find(migration => migration.name === name)
  if (found === undefined) throw new Error(`there is no migration ${name}`)
  return found.version
}
