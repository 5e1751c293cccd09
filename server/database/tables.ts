export const tables = [
  "plugin_state",
  "retention_dropped",
  "svc_assert",
  "svc_group",
  "svc_meta",
  "svc_migrations",
  "svc_runs",
] as const
