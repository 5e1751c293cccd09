/** The tables of this room: only its SQL names them. */
export const tables = ["file_totals", "files", "outbox_files"] as const
