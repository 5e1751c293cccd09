export const tables = ["event_contexts", "event_retention", "events"] as const
