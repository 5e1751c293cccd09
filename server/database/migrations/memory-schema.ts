/**
 * What agents remember. A row of the scope `user` is about its user, one of `channel` about the channel. `owner` and
 * `spot` are marks: who or what the memory is about, everywhere and at the place where it was made. `words` is the text
 * for the index, `author` the user as JSON, `run` and `event` the source. Times are in milliseconds since 1970.
 */
export const memorySchema: readonly string[] = [
  `CREATE TABLE agent_memories (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, agent TEXT NOT NULL, scope TEXT NOT NULL, owner TEXT NOT NULL, spot TEXT NOT NULL,
    endpoint TEXT NOT NULL, channel TEXT NOT NULL, user TEXT NOT NULL, author TEXT NOT NULL,
    text TEXT NOT NULL, words TEXT NOT NULL, run INTEGER, event INTEGER,
    created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
  )`,
  "CREATE INDEX agent_memories_owner ON agent_memories (owner, seq)",
  "CREATE INDEX agent_memories_spot ON agent_memories (spot, seq)",
  "CREATE INDEX agent_memories_user ON agent_memories (endpoint, user, seq)",
  "CREATE INDEX agent_memories_expiry ON agent_memories (expires_at)",
]
