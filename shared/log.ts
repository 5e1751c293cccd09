/** From the least to the most severe. */
export const logLevels = ["silly", "trace", "debug", "info", "warn", "error", "fatal"] as const
export type LogLevel = (typeof logLevels)[number]

/** Returns how severe a level is, from 0. */
export const rankOf = (level: LogLevel): number => logLevels.indexOf(level)

/** Flat fields of a log record. Pass an `Error` under `error`. */
export type LogFields = Readonly<Record<string, unknown>>

export type Log = {readonly [L in LogLevel]: (message: string, fields?: LogFields) => void} & {
  /** Returns a log whose records also carry these fields. */
  with(fields: LogFields): Log
}
