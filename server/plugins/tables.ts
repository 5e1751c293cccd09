/** The tables of this room: only its SQL names them. */
export const tables = ["svc_plugin_migrations"] as const
