/** The tables of this room: only its SQL names them. */
export const tables = ["alert_beat", "alert_targets", "alerts", "metric_history"] as const
