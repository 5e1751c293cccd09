/** Lengths in milliseconds. */
export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour

/** The lengths of a row's interval. */
export const spans = [minute, hour] as const

export type Span = (typeof spans)[number]

/** Returns how long the rows of a span are kept. */
export const kept = (span: Span): number => (span === minute ? 2 * day : 90 * day)
