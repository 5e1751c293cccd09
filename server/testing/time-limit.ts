/** A test has so long, in milliseconds, unless it says otherwise. */
const limit = 60_000

/**
 * Under `bun test` a test has five seconds, in which a busy machine may not start a Host: raises that for the file that is
 * run. Node sets no limit.
 */
export const raiseTimeLimit = async (): Promise<void> => {
  if (process.versions.bun !== undefined) (await import("bun:test")).setDefaultTimeout(limit)
}
