/** In `svc_meta`: up to which event of the inbox the messages are indexed. */
export const progressKey = "message_index"

export const hasIndex = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'message_index'"

/**
 * The index of messages: made where an agent first has the tool that searches, so that no other project pays for it, and a database
 * without FTS5 misses nothing but that tool. What is in it can be made again of the inbox; a row has the number of its event, the mark of
 * its channel (`markOf`) and the text as `spaced` gives it.
 *
 * With `secure-delete` a row that goes leaves no word behind in the index. Events are only ever added, redacted or dropped, so adding one
 * costs nothing here.
 */
export const creating: readonly string[] = [
  "CREATE VIRTUAL TABLE message_index USING fts5(place, text, tokenize = 'unicode61 remove_diacritics 2')",
  "INSERT INTO message_index (message_index, rank) VALUES ('secure-delete', 1)",
  "CREATE TRIGGER message_index_gone AFTER DELETE ON inbox BEGIN DELETE FROM message_index WHERE rowid = OLD.seq; END",
  "CREATE TRIGGER message_index_redacted AFTER UPDATE OF event ON inbox BEGIN DELETE FROM message_index WHERE rowid = OLD.seq; END",
  `DELETE FROM svc_meta WHERE key = '${progressKey}'`,
]
