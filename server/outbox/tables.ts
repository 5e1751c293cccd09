export const tables = ["outbox", "file_totals", "files", "outbox_files"] as const
