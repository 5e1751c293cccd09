/**
 * Messages that plugins send outside handlers: the plugin, its key, the user, and the time of a scheduled message.
 * `progress` describes a message in parts while some of them are sent: `{done, of, limit}`.
 */
export const plannedSendSchema: readonly string[] = [
  "ALTER TABLE outbox ADD COLUMN plugin TEXT",
  "ALTER TABLE outbox ADD COLUMN key TEXT",
  "ALTER TABLE outbox ADD COLUMN user TEXT",
  "ALTER TABLE outbox ADD COLUMN progress TEXT",
  "CREATE UNIQUE INDEX outbox_key ON outbox (plugin, key) WHERE key IS NOT NULL",
  "CREATE INDEX outbox_scheduled ON outbox (not_before) WHERE state = 'scheduled'",
]

/**
 * One row for each timer, from `setTimer` to its last firing. `state` is `waiting`, `held` or `failed`; times are in
 * milliseconds since 1970. `place` is the channel and the user of its conversation.
 */
export const timerSchema: readonly string[] = [
  `CREATE TABLE timers (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, plugin TEXT NOT NULL, name TEXT NOT NULL, key TEXT, due_at INTEGER NOT NULL, schedule TEXT, timezone TEXT,
    missed TEXT NOT NULL, data TEXT NOT NULL, endpoint TEXT, channel TEXT, user TEXT, place TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting', reason TEXT, created_at INTEGER NOT NULL, fired INTEGER NOT NULL DEFAULT 0, last_fired_at INTEGER
  )`,
  "CREATE INDEX timers_due ON timers (due_at) WHERE state = 'waiting'",
  "CREATE INDEX timers_state ON timers (state, seq)",
  "CREATE UNIQUE INDEX timers_key ON timers (plugin, key) WHERE key IS NOT NULL",
]

/** For a plugin's lists of the timers of a user. */
export const timerListIndex = "CREATE INDEX timers_of ON timers (plugin, name, endpoint, user)"

/** A value of a plugin. `scope` is `user`, `channel` or `plugin`; `endpoint` and `subject` are empty for `plugin`. */
export const pluginStateSchema: readonly string[] = [
  `CREATE TABLE plugin_state (
    plugin TEXT NOT NULL, scope TEXT NOT NULL, endpoint TEXT NOT NULL, subject TEXT NOT NULL, name TEXT NOT NULL,
    value TEXT NOT NULL, version INTEGER NOT NULL, updated_at INTEGER NOT NULL,
    PRIMARY KEY (plugin, scope, endpoint, subject, name)
  ) WITHOUT ROWID`,
  "CREATE INDEX plugin_state_subject ON plugin_state (scope, endpoint, subject)",
]
