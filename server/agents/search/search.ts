import {fromJson} from "../../../shared/json.ts"
import {Problem} from "../../../shared/problems.ts"
import {channelType, type SatoriEvent} from "../../../shared/sdk/satori.ts"
import type {Database, Row} from "../../database/database.ts"
import {textOfEvent} from "../../messages/parse-content.ts"
import type {RunFacts} from "../tools/tool.ts"
import {hasIndex} from "./index-schema.ts"
import {markOf, matchOf} from "./words.ts"

export interface FoundMessage {
  readonly from: string
  readonly at: string
  readonly text: string
}

const longestText = 500

/**
 * Of messages of a direct conversation, only those of the asking user match, `?5`, and their account must match too,
 * `?6`: anyone can take a name that serves as id there while its owner is offline. Each message says whether it was
 * direct, because a work item and a plugin give a run no more than the channel's id.
 */
const select = `SELECT i.received_at, i.event FROM message_index m CROSS JOIN inbox i ON i.seq = m.rowid
  WHERE message_index MATCH ?1 AND i.endpoint = ?2 AND i.event ->> '$.channel.id' = ?3
    AND (coalesce(i.event ->> '$.channel.type', 0) <> ${channelType.direct}
      OR (i.event ->> '$.user.id' = ?5 AND i.event ->> '$.user.account' IS ?6))
  ORDER BY m.rowid DESC LIMIT ?4`

/**
 * Returns earlier messages of the run's own channel, newest first: those with all words, or if there are none, with any
 * of them. Throws `request_invalid` for a run without a channel, and for a query without words.
 */
export const searchMessages = async (
  database: Pick<Database, "read">,
  {endpoint, channel, place}: RunFacts,
  query: string,
  limit: number,
): Promise<readonly FoundMessage[]> => {
  if (endpoint === undefined || channel === undefined)
    throw new Problem("request_invalid", "this run belongs to no channel, so it has no earlier messages.")
  const mark = markOf(endpoint, channel)
  const [all, any] = [matchOf(mark, query, "AND"), matchOf(mark, query, "OR")]
  if (all === undefined || any === undefined)
    throw new Problem("request_invalid", "query contains no word to search for.")
  if ((await database.read(hasIndex)).length === 0) return []
  const rest = [endpoint, channel, limit, place.user?.id ?? null, place.user?.account ?? null]
  const found = await database.read(select, [all, ...rest])
  return (found.length > 0 || all === any ? found : await database.read(select, [any, ...rest])).map(messageOf)
}

const messageOf = ({received_at: at, event}: Row): FoundMessage => {
  // The Host wrote this event.
  const {user, message} = fromJson(String(event)) as SatoriEvent
  const text = textOfEvent(message?.content)
  return {
    from: user?.nick ?? user?.name ?? user?.id ?? "?",
    at: new Date(Number(at)).toISOString(),
    text: text.length > longestText ? `${text.slice(0, longestText).replace(/[\ud800-\udbff]$/, "")}…` : text,
  }
}
