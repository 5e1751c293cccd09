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

/**
 * Summaries of conversations, and the vectors of memories. `summary_due` is set on the last run of a conversation
 * whose summary is to come; `since` on a summary, which is about the runs from that one to `run`.
 */
export const summarySchema: readonly string[] = [
  "ALTER TABLE agent_runs ADD COLUMN summary_due INTEGER",
  "CREATE INDEX agent_runs_summary ON agent_runs (summary_due) WHERE summary_due IS NOT NULL",
  "CREATE INDEX agent_runs_summary_of ON agent_runs (endpoint, user, channel) WHERE summary_due IS NOT NULL",
  "ALTER TABLE agent_memories ADD COLUMN since INTEGER",
  "CREATE TABLE agent_vectors (memory INTEGER PRIMARY KEY, source TEXT NOT NULL, vector BLOB NOT NULL)",
  "CREATE TRIGGER agent_vector_gone AFTER DELETE ON agent_memories BEGIN DELETE FROM agent_vectors WHERE memory = OLD.seq; END",
]
