/**
 * Where each platform that can replay goes on, stored with the events that it brought; and how many events were too old to be
 * known if they came again, and were dropped.
 */
export const cursorSchema: readonly string[] = [
  "CREATE TABLE endpoint_cursors (endpoint TEXT PRIMARY KEY, cursor TEXT, at INTEGER, dropped INTEGER NOT NULL DEFAULT 0, dropped_at INTEGER) WITHOUT ROWID",
]
