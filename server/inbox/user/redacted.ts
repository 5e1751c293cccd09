/** Replaces erased content. */
export const redacted = "[redacted]"

/** The end of a row that had not ended: now. */
export const ending = "ended_at = COALESCE(ended_at, unixepoch() * 1000)"
