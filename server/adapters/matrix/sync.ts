import {setTimeout as sleep} from "node:timers/promises"
import {type DatedIncoming, type Endpoint, isProblem} from "../../../shared/sdk/sdk.ts"
import {fetchMissed} from "./backfill.ts"
import {type Client, MatrixError, path} from "./client.ts"
import {isEntry, isExit, type RoomEvent, readEvents} from "./event.ts"
import type {Translator} from "./events.ts"
import type {Invitations} from "./invitations.ts"
import {type Fields, fieldsIn, fieldsOf, listIn, textIn} from "./json.ts"
import type {Self} from "./login.ts"
import type {Rooms} from "./rooms.ts"

/** In milliseconds: the homeserver answers earlier where there is something new. */
const longPoll = 30_000

/** Beyond the long poll a homeserver under load gets so long, in milliseconds. */
const grace = 60_000

/** In milliseconds, behind an answer with nothing new: a homeserver or a proxy may not wait as it is asked to. */
const restBetween = 200

/** In milliseconds: while ingress is paused, what has come is offered again. */
const pausedFor = 1000

const none = {types: []}

const filter = {
  room: {
    timeline: {limit: 50},
    state: {lazy_load_members: true, include_redundant_members: true},
    ephemeral: none,
    account_data: none,
  },
  presence: none,
  account_data: {types: ["m.direct"]},
}

/** Nothing of what was said: direct rooms, invitations, and where the homeserver is now. */
const outline = {
  room: {timeline: {limit: 1, types: ["m.room.create"]}, state: none, ephemeral: none, account_data: none},
  presence: none,
  account_data: {types: ["m.direct"]},
}

export interface Syncing {
  readonly client: Client
  readonly self: Self
  readonly rooms: Rooms
  readonly translator: Translator
  readonly invitations: Invitations
  readonly endpoint: Endpoint<DatedIncoming>
}

/** Where the homeserver is now. Takes up direct rooms and the invitations that wait. */
export const look = async ({client, rooms, invitations, endpoint: {signal}}: Syncing): Promise<string> => {
  const query = {filter: JSON.stringify(outline), timeout: 0}
  const answer = await client.ask("GET", "/client/v3/sync", {query, signal, patience: longPoll + grace})
  takeAccount(answer, rooms)
  invitations.take(fieldsIn(fieldsIn(answer, "rooms"), "invite"))
  return nextOf(answer)
}

/**
 * Takes what the homeserver has behind `since`, again and again, until the endpoint closes. Events and the place behind them are stored
 * in one batch. Rejects with what ends the connection.
 */
export const follow = async (syncing: Syncing, since: string): Promise<never> => {
  const {client, self, rooms, invitations, endpoint} = syncing
  const query = {filter: JSON.stringify(filter), timeout: longPoll}
  for (let from = since; ; ) {
    const {signal} = endpoint
    const answer = await client
      .ask("GET", "/client/v3/sync", {query: {...query, since: from}, signal, patience: longPoll + grace})
      .catch(error => waitFor(error, signal))
    if (answer === undefined) continue
    const next = nextOf(answer)
    takeAccount(answer, rooms)
    const {events, read} = await readRooms(syncing, fieldsIn(answer, "rooms"), from)
    if (events.length > 0 || next !== from) await store(endpoint, events, cursorOf(self, next))
    else await sleep(restBetween, undefined, {signal})
    invitations.take(fieldsIn(fieldsIn(answer, "rooms"), "invite"))
    acknowledge(syncing, read)
    from = next
  }
}

/** Names the account: another one goes on nowhere. */
export const cursorOf = ({id}: Self, since: string): string => `${id} ${since}`

/** Where this account goes on; undefined for the cursor of another one. */
export const sinceOf = ({id}: Self, cursor: string | undefined): string | undefined =>
  cursor?.startsWith(`${id} `) ? cursor.slice(id.length + 1) : undefined

/** Undefined once the homeserver may be asked again. */
const waitFor = async (error: unknown, signal: AbortSignal): Promise<undefined> => {
  if (!(error instanceof MatrixError) || error.wait === undefined) throw error
  await sleep(Math.max(error.wait, 100), undefined, {signal})
}

const nextOf = (answer: Fields): string => {
  const next = textIn(answer, "next_batch")
  if (next === undefined || next === "")
    throw new Error("GET /client/v3/sync: the homeserver answered without next_batch")
  return next
}

const takeAccount = (answer: Fields, rooms: Rooms): void => {
  for (const each of listIn(fieldsIn(answer, "account_data"), "events")) {
    const event = fieldsOf(each)
    if (event.type === "m.direct") rooms.setDirect(fieldsIn(event, "content"))
  }
}

interface Taken {
  readonly events: readonly DatedIncoming[]
  /** The last message of each room. */
  readonly read: ReadonlyMap<string, string>
}

const readRooms = async (syncing: Syncing, answer: Fields, since: string): Promise<Taken> => {
  const events: DatedIncoming[] = []
  const read = new Map<string, string>()
  for (const [room, about] of Object.entries(fieldsIn(answer, "join"))) {
    const found = await readRoom(syncing, room, fieldsOf(about), since)
    events.push(...found)
    const last = found.findLast(({type}) => type === "message-created")
    if (last !== undefined) read.set(room, last.id)
  }
  for (const [room, about] of Object.entries(fieldsIn(answer, "leave"))) {
    events.push(...(await readRoom(syncing, room, fieldsOf(about), since)))
    syncing.rooms.forget(room)
  }
  return {events, read}
}

const readRoom = async (
  syncing: Syncing,
  room: string,
  about: Fields,
  since: string,
): Promise<readonly DatedIncoming[]> => {
  const {rooms, translator, endpoint} = syncing
  const events: DatedIncoming[] = []
  for (const event of readEvents(listIn(fieldsIn(about, "state"), "events"))) rooms.learn(room, event)
  for (const event of await timelineOf(syncing, room, fieldsIn(about, "timeline"), since)) {
    if (event.stateKey !== undefined) rooms.learn(room, event)
    const incoming = await translator.incoming(room, event)
    if (incoming !== undefined) events.push(incoming)
  }
  if (events.length > 0) endpoint.log.debug(`${events.length} events of ${room}`)
  return events
}

/**
 * The events of a room behind `since`, with those that the homeserver left out. What was said before the bot came is not for it; in a
 * direct room what was said behind the invitation is.
 */
const timelineOf = async (
  {client, self, rooms, translator, endpoint}: Syncing,
  room: string,
  timeline: Fields,
  since: string,
): Promise<readonly RoomEvent[]> => {
  const shown = readEvents(listIn(timeline, "events"))
  const isInvitation = (event: RoomEvent) =>
    event.type === "m.room.member" && event.stateKey === self.id && event.content.membership === "invite"
  const isBegin = rooms.isDirect(room) ? isInvitation : (event: RoomEvent) => isEntry(event, self.id)
  // Where the bot was in before, has left and come again, all of it is for the bot.
  const begin = shown.findIndex(event => isBegin(event) || isExit(event, self.id))
  const first = shown[begin]
  if (first !== undefined && isBegin(first)) return shown.slice(begin)
  const from = textIn(timeline, "prev_batch")
  if (timeline.limited !== true || from === undefined) return shown
  const missed = {room, from, to: since, isBegin: (event: RoomEvent) => isBegin(event) || translator.isKnown(event.id)}
  return [...(await fetchMissed(client, missed, endpoint.log, endpoint.signal)), ...shown]
}

/** Resolves once it is durable. An event that the Host does not take is logged, and holds up nothing. */
const store = async (
  endpoint: Endpoint<DatedIncoming>,
  events: readonly DatedIncoming[],
  cursor: string,
): Promise<void> => {
  try {
    await insist(endpoint, () => endpoint.receive(events, {cursor}))
  } catch (error) {
    if (!isProblem(error, "event_invalid")) throw error
    for (const event of events)
      await insist(endpoint, () => endpoint.receive(event)).catch(tellInvalid(endpoint, event))
    await insist(endpoint, () => endpoint.receive([], {cursor}))
  }
}

const tellInvalid =
  ({log}: Endpoint, {id, type}: DatedIncoming) =>
  (error: unknown): void => {
    if (!isProblem(error, "event_invalid")) throw error
    log.warn(`the Host rejected ${type} ${id}: ${error.message}`)
  }

/** While ingress is paused, the homeserver is asked for nothing more. */
const insist = async <T>({signal}: Endpoint<DatedIncoming>, receive: () => Promise<T>): Promise<T> => {
  for (;;) {
    try {
      return await receive()
    } catch (error) {
      if (!isProblem(error, "ingress_paused")) throw error
      await sleep(pausedFor, undefined, {signal})
    }
  }
}

/** Read receipts, of what is stored. Best effort. */
const acknowledge = ({client, endpoint}: Syncing, read: ReadonlyMap<string, string>): void => {
  for (const [room, event] of read)
    client
      .ask("POST", path`/client/v3/rooms/${room}/receipt/m.read/${event}`, {body: {}, signal: endpoint.signal})
      .catch(error => endpoint.log.debug(`could not send a read receipt in ${room}`, {error}))
}
