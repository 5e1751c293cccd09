import {type Database, schemaOf} from "../../database/database.ts"
import {readMeta} from "../../database/state/meta.ts"
import {readNewestEvent} from "../../events/log.ts"
import {eventCount, newestEvent} from "../../inbox/look-ups.ts"
import {messageCount, newestMessage} from "../../outbox/look-ups.ts"

type Boxes = Readonly<Record<"inbox" | "outbox", number>>

/** Returns how far a database is: its authority and schema, and the numbers of its newest rows. */
export const readHeads = async (database: Database) => ({
  authority: String(await readMeta(database, "authority")),
  schema: schemaOf(database),
  events: await readNewestEvent(database),
  ...(await readBoxes(database, newestEvent, newestMessage)),
})

/** Returns how many events and messages a database has. */
export const countBoxes = (database: Database): Promise<Boxes> => readBoxes(database, eventCount, messageCount)

const readBoxes = async (database: Database, inbox: string, outbox: string): Promise<Boxes> => {
  const [row] = await database.read(`SELECT ${inbox} AS inbox, ${outbox} AS outbox`)
  return {inbox: Number(row?.inbox), outbox: Number(row?.outbox)}
}
