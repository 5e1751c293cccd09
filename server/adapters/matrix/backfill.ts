import type {Log} from "../../../shared/sdk/sdk.ts"
import {type Client, isSaid, path} from "./client.ts"
import {type RoomEvent, readEvents} from "./event.ts"
import {listIn, textIn} from "./json.ts"

/** So many events of one room are fetched behind a timeline that the homeserver has cut short. */
export const longestBackfill = 1000

const page = 100

export interface Missed {
  readonly room: string
  /** Where the timeline begins. */
  readonly from: string
  /** Where the last sync ended; undefined for a room that the bot has just come into. */
  readonly to: string
  /** Does what is missed begin with this event? */
  isBegin(event: RoomEvent): boolean
}

/**
 * What a `limited` timeline leaves out, oldest first. A room that has more than `longestBackfill` of it loses the older ones: the log
 * tells the room and the interval.
 */
export const fetchMissed = async (
  client: Client,
  {room, from, to, isBegin}: Missed,
  log: Log,
  signal: AbortSignal,
): Promise<readonly RoomEvent[]> => {
  const missed: RoomEvent[] = []
  let token = from
  while (missed.length < longestBackfill) {
    const query = {dir: "b", from: token, to, limit: page}
    const answer = await client.ask("GET", path`/client/v3/rooms/${room}/messages`, {query, signal}).catch(error => {
      // The bot was put out of the room meanwhile.
      if (isSaid(error, "M_FORBIDDEN", "M_NOT_FOUND")) return {}
      throw error
    })
    const events = readEvents(listIn(answer, "chunk"))
    const begin = events.findIndex(isBegin)
    missed.push(...(begin < 0 ? events : events.slice(0, begin)))
    const end = textIn(answer, "end")
    if (begin >= 0 || events.length === 0 || end === undefined || end === token) return missed.reverse()
    token = end
  }
  const oldest = new Date(missed.at(-1)?.at ?? 0).toISOString()
  log.error(`${room}: the bot missed more than ${longestBackfill} events; those before ${oldest} are lost`)
  return missed.reverse()
}
