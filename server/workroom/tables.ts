/** The tables of this room: only its SQL names them. */
export const tables = ["workroom_catalog", "workroom_events", "workroom_head", "workroom_told"] as const
