import {type DatedIncoming, type HistoryPage, type HistoryQuery, refused, type Sender} from "../../../shared/sdk/sdk.ts"
import {type Archived, queryArchive} from "./archive/query.ts"
import {type Acting, placeOf} from "./place.ts"
import {outcomeOf} from "./stream/failures.ts"

/**
 * The messages per request to an archive, and the most requests for one page, because archives contain receipts too.
 */
const pageSize = 100
const mostPages = 10

/** Reads the history of a channel from its archive: only messages, without edits and reactions. */
export const historyActs = (acting: Acting): Required<Pick<Sender, "history">> => ({
  history: async (query, signal) => {
    const {session, receiver} = acting
    const {channel, type, room} = placeOf(acting, query.channel)
    const archive = type === "groupchat" ? channel : session.own
    if ((type === "groupchat" ? room?.reader : receiver.reader) === undefined)
      throw refused(`the server keeps no archive for ${channel}`, {
        reason: "unsupported",
        remediation: "Turn on message archives (XEP-0313) on the server.",
      })
    const peer = archive === session.own ? {peer: channel} : {}
    const idOf = (message: string | undefined) => {
      if (message === undefined) return undefined
      return acting.memory.find(channel, message)?.archived ?? message
    }
    const events = (items: readonly Archived[]) =>
      items.flatMap(item => receiver.archived(archive, item)).filter(event => event.type === "message-created")
    const search = {archive, ...peer, before: idOf(query.before), after: idOf(query.after)}
    return collect(acting, search, events, query.limit, signal).catch(error => {
      throw outcomeOf(channel, error)
    })
  },
})

interface Search {
  readonly archive: string
  readonly peer?: string
  readonly before: string | undefined
  readonly after: string | undefined
}

const collect = async (
  {session}: Acting,
  {before, after, ...search}: Search,
  eventsOf: (items: readonly Archived[]) => readonly DatedIncoming[],
  limit: HistoryQuery["limit"],
  signal: AbortSignal,
): Promise<HistoryPage> => {
  let found: readonly DatedIncoming[] = []
  let [from, isComplete] = [after ?? before ?? "", false]
  for (let page = 0; page < mostPages && found.length < limit && !isComplete; page++) {
    const place = after === undefined ? {before: from} : {after: from}
    const answer = await queryArchive(session, {...search, ...place, max: pageSize}, signal)
    const events = eventsOf(answer.items)
    found = after === undefined ? [...events, ...found] : [...found, ...events]
    from = (after === undefined ? answer.items[0] : answer.items.at(-1))?.id ?? from
    isComplete = answer.isComplete
  }
  const events = after === undefined ? found.slice(-limit) : found.slice(0, limit)
  return {events, more: !isComplete || events.length < found.length}
}
