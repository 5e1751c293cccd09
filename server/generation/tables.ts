export const tables = ["generations"] as const
