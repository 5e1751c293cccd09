export const tables = ["workroom_catalog", "workroom_events", "workroom_head", "workroom_told"] as const
