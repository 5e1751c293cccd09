export const tables = ["alert_beat", "alert_targets", "alerts", "metric_history"] as const
