/** The tables of this room: only its SQL names them. */
export const tables = ["buttons", "inbox", "inbox_keys", "inbox_marks", "prompts"] as const
