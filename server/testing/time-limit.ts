/** The time limit of a test in milliseconds, unless it sets another. */
const limit = 60_000

/**
 * Under `bun test` a test has five seconds, in which a busy machine may not start a Host. This raises the limit for the
 * current file. Node sets no limit.
 */
export const raiseTimeLimit = async (): Promise<void> => {
  if (process.versions.bun !== undefined) (await import("bun:test")).setDefaultTimeout(limit)
}
