export const tables = ["endpoint_cursors", "endpoint_gaps", "endpoint_online", "ingress_pauses"] as const
