export const tables = ["svc_plugin_migrations"] as const
