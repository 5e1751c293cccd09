/** The tables of this room: only its SQL names them. */
export const tables = ["event_contexts", "event_retention", "events"] as const
