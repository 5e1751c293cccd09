import {fromJson} from "../../../shared/json.ts"
import {Problem} from "../../../shared/problems.ts"
import {textOfEvent} from "../../../shared/sdk/content/parse-content.ts"
import type {SatoriEvent} from "../../../shared/sdk/content/satori.ts"
import type {Reader, Row} from "../../database/database.ts"
import {selectAmong} from "../../inbox/message-texts.ts"
import type {RunFacts} from "../runs/tool.ts"
import {hasIndex} from "./index-schema.ts"
import {markOf, matchOf} from "./words.ts"

const longestText = 500

const select = selectAmong("SELECT rowid AS seq FROM message_index WHERE message_index MATCH ?1")

/**
 * Returns earlier messages of the run's own channel, newest first: those with all words, or if there are none, with any
 * of them. Throws `request_invalid` for a run without a channel, and for a query without words.
 */
export const searchMessages = async (
  database: Reader,
  {endpoint, channel, place}: RunFacts,
  query: string,
  limit: number,
) => {
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

const messageOf = ({received_at: at, event}: Row) => {
  // The Host wrote this event.
  const {user, message} = fromJson(String(event)) as SatoriEvent
  const text = textOfEvent(message?.content)
  return {
    from: user?.nick ?? user?.name ?? user?.id ?? "?",
    at: new Date(Number(at)).toISOString(),
    text: text.length > longestText ? `${text.slice(0, longestText).replace(/[\ud800-\udbff]$/, "")}…` : text,
  }
}
