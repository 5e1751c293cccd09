export const tables = ["generations", "svc_plugin_migrations"] as const
