/** What remains of deleted rows, and how the database grew. */
export const capacitySchema: readonly string[] = [
  // The platform's ids of events that are no longer in the inbox, to recognize a redelivered event.
  "CREATE TABLE inbox_keys (seq INTEGER PRIMARY KEY, endpoint TEXT NOT NULL, event_id TEXT NOT NULL, dropped_at INTEGER NOT NULL, UNIQUE (endpoint, event_id))",
  "CREATE TABLE retention_dropped (part TEXT NOT NULL, detail TEXT NOT NULL, rows INTEGER NOT NULL, last_at INTEGER NOT NULL, PRIMARY KEY (part, detail)) WITHOUT ROWID",
  "CREATE TABLE capacity_samples (at INTEGER PRIMARY KEY, bytes INTEGER NOT NULL)",
]
