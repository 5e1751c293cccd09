/** The tables of this room: only its SQL names them. */
export const tables = ["capacity_samples"] as const
