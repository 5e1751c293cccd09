import {Problem} from "../../shared/problems.ts"
import {readNumber} from "../database/engine/cells.ts"
import type {Reader, Row, Statement} from "../database/engine/engine.ts"
import type {MarkKey} from "./mark-key.ts"

/** SQL: true if a message answers this event of the inbox. */
export const hasReplies = (seq: string): string => `EXISTS (SELECT 1 FROM outbox o WHERE o.inbox_seq = ${seq})`

/** SQL for the messages that a platform shows or may show: their `id`, `seq` and `platform_ids`. */
export const shownMessages = "(SELECT id, seq, platform_ids FROM outbox WHERE state IN ('sending', 'sent', 'unknown'))"

/** Selects when each endpoint's last message was sent, among the newest: `endpoint` and `sent`. */
export const selectLastSent = (looked: number): string => `SELECT endpoint, max(at) AS sent FROM
    (SELECT endpoint, ended_at AS at, state FROM outbox ORDER BY seq DESC LIMIT ${looked}) WHERE state = 'sent' GROUP BY 1`

/** Selects the time `at` of the newest message. */
export const selectNewestTime = "SELECT created_at AS at FROM outbox WHERE seq = (SELECT max(seq) FROM outbox)"

/** The table whose sequence grows with the time in a column. */
export const messageTimes = {table: "outbox", column: "created_at"} as const

/** SQL for the number of the newest message, and for the number of messages. */
export const newestMessage = "(SELECT coalesce(max(seq), 0) FROM outbox)"
export const messageCount = "(SELECT count(*) FROM outbox)"

export const readNewestMessage = (database: Reader): Promise<number> =>
  readNumber(database, `SELECT ${newestMessage} AS n`)

/** Returns the messages that answer an event of the inbox, in order, at most `most` of them. */
export const readReplies = (database: Reader, seq: number, most = -1): Promise<readonly Row[]> =>
  database.read("SELECT * FROM outbox WHERE inbox_seq = ? ORDER BY seq LIMIT ?", [seq, most])

/** Returns a message or an act; undefined if it is not in the outbox. */
export const findMessage = async (database: Reader, id: string): Promise<Row | undefined> =>
  (await database.read("SELECT * FROM outbox WHERE id = ?", [id]))[0]

/** Throws `outbox_unknown`. */
export const requireMessage = async (database: Reader, id: string): Promise<Row> => {
  const row = await findMessage(database, id)
  if (row === undefined) throw new Problem("outbox_unknown", `there is no outbox message ${id}`)
  return row
}

/** Selects the `id` of a message that a handler stored before its end. */
export const selectEarly = ({seq, handler}: MarkKey, ordinal: number): Statement => ({
  sql: "SELECT id FROM outbox WHERE inbox_seq = ? AND handler = ? AND ordinal = ? AND early = 1",
  args: [seq, handler, ordinal],
})

/** Returns the messages that are to be sent or need a person, by a condition on their rows. */
export const readUnsent = (database: Reader, where: string, args: Statement["args"] = []): Promise<readonly Row[]> =>
  database.read(
    `SELECT id, kind, endpoint, channel, state, attempt, not_before, created_at, error, reason
      FROM outbox WHERE state NOT IN ('sent', 'discarded', 'expired', 'scheduled') AND ${where} ORDER BY seq`,
    args,
  )

/** Returns the ids of the messages after a number that were sent and answer no event, in order. */
export const readSentAfter = async (database: Reader, seq: number): Promise<readonly string[]> => {
  const rows = await database.read(
    "SELECT id FROM outbox WHERE seq > ? AND inbox_seq IS NULL AND state = 'sent' ORDER BY seq",
    [seq],
  )
  return rows.map(({id}) => String(id))
}
