export const tables = ["capacity_samples"] as const
