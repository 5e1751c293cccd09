/** The time limit of a test in milliseconds, unless it sets another. */
const limit = 60_000

/**
 * Raises the five seconds of a test under `bun test`, for this file and all later ones of the process: a busy machine
 * starts a Host slower. Bun forgets the limit at the end of a file, and loads the modules that two files share only once;
 * but it resolves each file before it runs it.
 */
export const raiseTimeLimit = async (): Promise<void> => {
  if (process.versions.bun === undefined) return
  const [{plugin}, {setDefaultTimeout}] = await Promise.all([import("bun"), import("bun:test")])
  setDefaultTimeout(limit)
  const raise = ({importer}: {readonly importer: string}): undefined => {
    if (importer === "") setDefaultTimeout(limit)
  }
  await plugin({name: "svc-time-limit", setup: ({onResolve}) => void onResolve({filter: /^\//}, raise)})
}
