/** From the least to the most severe. */
export const logLevels = ["silly", "trace", "debug", "info", "warn", "error", "fatal"] as const
export type LogLevel = (typeof logLevels)[number]

/** How severe a level is, from 0. */
export const rankOf = (level: LogLevel): number => logLevels.indexOf(level)

/** Flat fields beside the message; an `Error` goes under `error`. */
export type LogFields = Readonly<Record<string, unknown>>

export type Log = {readonly [L in LogLevel]: (message: string, fields?: LogFields) => void} & {
  /** A log whose records carry these fields too. */
  with(fields: LogFields): Log
}
