import {randomUUID} from "node:crypto"
import {type Database, type Location, type OpenOptions, openUnmigrated} from "./database.ts"

/** Options to open a database without a Host. Each call has a new id: equal ones would share a remote lease. */
export const withoutHost = (): OpenOptions => ({
  runtimeId: randomUUID(),
  signal: new AbortController().signal,
  onLeaseLost: () => {},
})

/** Works with a database of any schema, for the project's holder or only user. Throws as `openUnmigrated`. */
export const withDatabase = async <T>(location: Location, work: (database: Database) => Promise<T>): Promise<T> => {
  const database = await openUnmigrated(location, withoutHost())
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}
