/** The time limit of a test in milliseconds, unless it sets another. */
const limit = 60_000

/** Raises the five seconds of a test under `bun test` for the current file: a busy machine starts a Host slower. */
export const raiseTimeLimit = async (): Promise<void> => {
  if (process.versions.bun !== undefined) (await import("bun:test")).setDefaultTimeout(limit)
}
