/** What stands in the place of what was taken away. */
export const redacted = "[redacted]"

/** When a row that had not ended ends: now. */
export const ending = "ended_at = COALESCE(ended_at, unixepoch() * 1000)"
