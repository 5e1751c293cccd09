import type {Database} from "../database/database.ts"
import type {ChannelEnd} from "../endpoints/backfill.ts"

/** How many of the newest events to search. Searching all of them would block the Host. */
const looked = 5000

const newestOfEach = `SELECT max(seq) FROM (SELECT seq, endpoint, conversation, type FROM inbox ORDER BY seq DESC LIMIT ${looked})
  WHERE endpoint = ?1 AND type = 'message-created' GROUP BY conversation ORDER BY 1 DESC LIMIT ?2`

/**
 * Returns the last stored messages of at most `most` channels of an endpoint, those with the newest messages first, as
 * far as the newest events show.
 */
export const readChannelEnds = async (
  database: Pick<Database, "read">,
  endpoint: string,
  most: number,
): Promise<readonly ChannelEnd[]> => {
  const rows = await database.read(
    `SELECT event ->> '$.channel.id' AS channel, event ->> '$.message.id' AS message FROM inbox
      WHERE seq IN (${newestOfEach}) AND channel IS NOT NULL AND message IS NOT NULL ORDER BY seq DESC`,
    [endpoint, most],
  )
  return rows.map(({channel, message}) => ({channel: String(channel), message: String(message)}))
}
