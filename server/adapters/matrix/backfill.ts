import type {Log} from "../../../shared/sdk/sdk.ts"
import {type Client, isSaid, path} from "./client/client.ts"
import {type RoomEvent, readEvents} from "./client/event.ts"
import {listIn, textIn} from "./client/json.ts"

/** The most events of one room that are fetched before a limited timeline. */
export const longestBackfill = 1000

/** Events per request: the largest have 64 KiB, and the largest answer 4 MiB. */
const page = 50

export interface Missed {
  readonly room: string
  /** The beginning of the timeline. */
  readonly from: string
  /** The end of the last sync; undefined for a room that the bot has just joined. */
  readonly to: string
  /** Whether the missed events begin with this one. */
  isBegin(event: RoomEvent): boolean
}

/**
 * Returns the events before a `limited` timeline, oldest first. Beyond `longestBackfill` the older ones are lost, and a
 * log line names the room and the time.
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
      // The bot was removed from the room in the meantime.
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
