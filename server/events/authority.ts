import {type Database, type Statement, schemaOf} from "../database/database.ts"
import {readCell, textIn} from "../database/engine/cells.ts"
import {versionOf} from "../database/migrations/migrations.ts"
import {readMeta} from "../database/state/meta.ts"

/** The authorities in a database: of the database itself and of its event log. */
export type AuthorityRows = Awaited<ReturnType<typeof readAuthorityRows>>

const stampedSince = versionOf("event-authority")

/** Reads the authorities from a database of any schema up to this version's. */
export const readAuthorityRows = async (database: Pick<Database, "read" | "state">) => {
  const schema = schemaOf(database)
  return {
    /** Undefined if no Host has started on the database. */
    authority: schema === 0 ? undefined : await readMeta(database, "authority"),
    /** Undefined if there is no event log yet. */
    eventLog:
      schema < stampedSince ? undefined : textIn(await readCell(database, "SELECT authority FROM event_retention")),
  }
}

/** Returns the statements that stamp the event log with an authority. None for a schema without the stamp. */
export const stampingEvents = (database: Pick<Database, "state">, authority: string): readonly Statement[] =>
  schemaOf(database) < stampedSince ? [] : [{sql: "UPDATE event_retention SET authority = ?", args: [authority]}]
