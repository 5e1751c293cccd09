export const tables = ["buttons", "inbox", "inbox_keys", "inbox_marks", "prompts"] as const
