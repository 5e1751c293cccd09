import type {DatedIncoming, HistoryPage, HistoryQuery} from "../../../shared/sdk/sdk.ts"
import {acting, type Client, path} from "./client/client.ts"
import {type RoomEvent, readEvent, readEvents, relationOf} from "./client/event.ts"
import {listIn, textIn} from "./client/json.ts"
import type {Translator} from "./events.ts"
import type {Rooms} from "./rooms.ts"

const page = 50

/** The most pages to read for one answer, because a room may contain mostly state. */
const mostPages = 20

interface Reading {
  readonly client: Client
  readonly rooms: Rooms
  readonly translator: Translator
}

/** Reads the messages of a room with `/messages`. If it starts at a known message, `/context` returns the place. */
export const createHistory =
  ({client, rooms, translator}: Reading) =>
  (query: HistoryQuery, signal: AbortSignal): Promise<HistoryPage> =>
    acting(readHistory({client, rooms, translator}, query, signal))

const readHistory = async (
  {client, rooms, translator}: Reading,
  {channel, before, after, limit}: HistoryQuery,
  signal: AbortSignal,
): Promise<HistoryPage> => {
  const {room, thread} = await rooms.find(channel, signal)
  const isForward = after !== undefined
  const known = after ?? before
  const beside =
    known === undefined ? {events: [], token: undefined} : await besides(client, {room, known, isForward}, signal)
  const found = new Map<string, DatedIncoming>()
  const take = async (events: readonly RoomEvent[]) => {
    for (const event of events) {
      if (found.size > limit || found.has(event.id) || event.id === known) continue
      const message = await messageOf(translator, room, event, thread)
      if (message !== undefined) found.set(event.id, message)
    }
  }
  await take(beside.events)
  let from = beside.token
  let hasMore = known === undefined || from !== undefined
  for (let pages = 0; hasMore && found.size <= limit && pages < mostPages; pages++) {
    const query = {dir: isForward ? "f" : "b", from, limit: page}
    const answer = await client.ask("GET", path`/client/v3/rooms/${room}/messages`, {query, signal})
    const events = readEvents(listIn(answer, "chunk"))
    await take(events)
    const end = textIn(answer, "end")
    hasMore = events.length > 0 && end !== undefined && end !== from
    from = end
  }
  const events = [...found.values()]
  const shown = events.slice(0, limit)
  return {events: isForward ? shown : shown.reverse(), more: events.length > limit || hasMore}
}

/** Returns the events directly next to a known event, nearest first, and the token after them. */
const besides = async (
  client: Client,
  {room, known, isForward}: {readonly room: string; readonly known: string; readonly isForward: boolean},
  signal: AbortSignal,
): Promise<{readonly events: readonly RoomEvent[]; readonly token: string | undefined}> => {
  const answer = await client.ask("GET", path`/client/v3/rooms/${room}/context/${known}`, {
    query: {limit: page},
    signal,
  })
  const events = readEvents(listIn(answer, isForward ? "events_after" : "events_before"))
  return {events, token: textIn(answer, isForward ? "end" : "start")}
}

/** An edited message has its newest content, if the homeserver bundles it. Edits are not separate messages. */
const messageOf = async (
  translator: Translator,
  room: string,
  event: RoomEvent,
  thread: string | undefined,
): Promise<DatedIncoming | undefined> => {
  if (event.type !== "m.room.message" && event.type !== "m.sticker") return undefined
  const relation = relationOf(event.content)
  if (relation.type === "m.replace") return undefined
  if (thread !== undefined && relation.event !== thread && event.id !== thread) return undefined
  return translator.message(room, withEdit(event))
}

const withEdit = (event: RoomEvent): RoomEvent => {
  const edit = readEvent(bundled(event))
  const content = edit?.sender === event.sender ? edit.content["m.new_content"] : undefined
  return typeof content === "object" && content !== null
    ? {...event, content: {...content, "m.relates_to": event.content["m.relates_to"]}}
    : event
}

const bundled = ({raw}: RoomEvent): unknown => {
  const unsigned = raw.unsigned as {"m.relations"?: {"m.replace"?: unknown}} | undefined
  return unsigned?.["m.relations"]?.["m.replace"]
}
