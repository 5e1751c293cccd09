/**
 * The cursor of each platform that can replay, stored with the events before it. Also how many events the Host dropped
 * because they were too old to recognize a repetition.
 */
export const cursorSchema: readonly string[] = [
  "CREATE TABLE endpoint_cursors (endpoint TEXT PRIMARY KEY, cursor TEXT, at INTEGER, dropped INTEGER NOT NULL DEFAULT 0, dropped_at INTEGER) WITHOUT ROWID",
]
