/** A number and its unit: 30s, 15m, 24h, 7d. */
export const durationPattern = "^[0-9]+(s|m|h|d)$"

const units: Readonly<Record<string, number>> = {s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000}

/** In milliseconds; of a text that fits `durationPattern`. */
export const durationOf = (text: string): number => Number(text.slice(0, -1)) * (units[text.slice(-1)] ?? 0)
