import {creatingTriggers} from "../../inbox/message-texts.ts"

/** The key in `svc_meta` of the last inbox event that is indexed. */
export const progressKey = "message_index"

export const hasIndex = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'message_index'"

/**
 * The index of messages. It is created when an agent first has the search tool: no other project pays for it, and a
 * database without FTS5 lacks only that tool. It can be rebuilt from the inbox. A row has the number of its event, the
 * mark of its channel (`markOf`), and the text from `spaced`.
 *
 * With `secure-delete`, a deleted row leaves no word in the index. The index only reacts to redacted or dropped events,
 * so adding an event costs nothing here.
 */
export const creating: readonly string[] = [
  "CREATE VIRTUAL TABLE message_index USING fts5(place, text, tokenize = 'unicode61 remove_diacritics 2')",
  "INSERT INTO message_index (message_index, rank) VALUES ('secure-delete', 1)",
  ...creatingTriggers("message_index", "DELETE FROM message_index WHERE rowid = OLD.seq"),
]
