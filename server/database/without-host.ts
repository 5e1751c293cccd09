import {randomUUID} from "node:crypto"
import {type Database, type Location, type OpenOptions, openUnmigrated} from "./database.ts"

/** How a database is opened where no Host runs. The id is its own: commands that shared one would share a remote database's lease. */
export const withoutHost = (): OpenOptions => ({
  runtimeId: randomUUID(),
  signal: new AbortController().signal,
  onLeaseLost: () => {},
})

/** Does work with a database as it is, of whatever schema. Only for who holds the project, or has the file to itself. Throws what `openUnmigrated` throws. */
export const withDatabase = async <T>(location: Location, work: (database: Database) => Promise<T>): Promise<T> => {
  const database = await openUnmigrated(location, withoutHost())
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}
