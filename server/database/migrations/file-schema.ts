/** The stored files that the content of an outbox row names. A text that only looks like an address does not count. */
const named = (row: string) => `SELECT DISTINCT ${row}.seq, substr(t.value, 20) FROM json_tree(${row}.content) t
    WHERE t.key = 'src' AND substr(t.value, 1, 19) = 'internal:svc/files/'
      AND EXISTS (SELECT 1 FROM files f WHERE f.sha256 = substr(t.value, 20))`

const hasFiles = (row: string) => `instr(${row}.content, 'internal:svc/files/') > 0`

/**
 * `files` lists each file in `data/files/`. `stored_at` is when it was last stored, in milliseconds since 1970; 0 means
 * that it is deleted once nothing needs it. `file_totals` has the sums. `outbox_files` lists which rows need which
 * files; triggers maintain it for every writer of the outbox.
 */
export const fileSchema: readonly string[] = [
  "CREATE TABLE files (sha256 TEXT PRIMARY KEY, size INTEGER NOT NULL, stored_at INTEGER NOT NULL) WITHOUT ROWID",
  "CREATE INDEX files_stored ON files (stored_at)",
  "CREATE TABLE file_totals (id INTEGER PRIMARY KEY CHECK (id = 1), count INTEGER NOT NULL, bytes INTEGER NOT NULL)",
  "INSERT INTO file_totals (id, count, bytes) VALUES (1, 0, 0)",
  `CREATE TRIGGER files_made AFTER INSERT ON files BEGIN
    UPDATE file_totals SET count = count + 1, bytes = bytes + NEW.size;
  END`,
  `CREATE TRIGGER files_changed AFTER UPDATE OF size ON files BEGIN
    UPDATE file_totals SET bytes = bytes + NEW.size - OLD.size;
  END`,
  `CREATE TRIGGER files_gone AFTER DELETE ON files BEGIN
    UPDATE file_totals SET count = count - 1, bytes = bytes - OLD.size;
  END`,
  "CREATE TABLE outbox_files (seq INTEGER NOT NULL, sha256 TEXT NOT NULL, PRIMARY KEY (seq, sha256)) WITHOUT ROWID",
  "CREATE INDEX outbox_files_needed ON outbox_files (sha256)",
  `CREATE TRIGGER outbox_files_made AFTER INSERT ON outbox WHEN ${hasFiles("NEW")} BEGIN
    INSERT INTO outbox_files (seq, sha256) ${named("NEW")};
  END`,
  `CREATE TRIGGER outbox_files_changed AFTER UPDATE OF content ON outbox WHEN ${hasFiles("OLD")} BEGIN
    UPDATE files SET stored_at = 0 WHERE sha256 IN (SELECT sha256 FROM outbox_files WHERE seq = OLD.seq);
    DELETE FROM outbox_files WHERE seq = OLD.seq;
    INSERT INTO outbox_files (seq, sha256) ${named("NEW")};
  END`,
  `CREATE TRIGGER outbox_files_gone AFTER DELETE ON outbox WHEN ${hasFiles("OLD")} BEGIN
    DELETE FROM outbox_files WHERE seq = OLD.seq;
  END`,
]
