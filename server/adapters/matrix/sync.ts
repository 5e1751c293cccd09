import {setTimeout as sleep} from "node:timers/promises"
import {AnswerTooLarge, type DatedIncoming, type Endpoint, isProblem} from "../../../shared/sdk/sdk.ts"
import {fetchMissed} from "./backfill.ts"
import {type Client, MatrixError, path} from "./client/client.ts"
import {isEntry, isExit, type RoomEvent, readEvents} from "./client/event.ts"
import {type Fields, fieldsIn, fieldsOf, listIn, textIn} from "./client/json.ts"
import type {Self} from "./client/login.ts"
import type {Translator} from "./events.ts"
import type {Invitations} from "./invitations.ts"
import type {Rooms} from "./rooms.ts"

/** In milliseconds. The homeserver answers earlier if it has news. */
const longPoll = 30_000

/** The time in addition to the long poll for a homeserver under load, in milliseconds. */
const grace = 60_000

/**
 * The pause after an answer without news, in milliseconds, because a homeserver or a proxy may not wait as long as
 * requested.
 */
const restBetween = 200

/** The pause before the next attempt to store while ingress is paused, in milliseconds. */
const pausedFor = 1000

const none = {types: []}

const filterOf = (limit: number): string =>
  JSON.stringify({
    room: {
      timeline: {limit},
      state: {lazy_load_members: true, include_redundant_members: true},
      ephemeral: none,
      account_data: none,
    },
    presence: none,
    account_data: {types: ["m.direct"]},
  })

/** How many events of a room one sync has. A room with more is read page by page. */
const usual = 50

/** A filter without messages: only direct rooms, invitations and the homeserver's current place. */
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

/** Returns the homeserver's current place. Also reads direct rooms and pending invitations. */
export const look = async ({client, rooms, invitations, endpoint: {signal}}: Syncing): Promise<string> => {
  const query = {filter: JSON.stringify(outline), timeout: 0}
  const answer = await client.ask("GET", "/client/v3/sync", {query, signal, patience: longPoll + grace})
  takeAccount(answer, rooms)
  invitations.take(fieldsIn(fieldsIn(answer, "rooms"), "invite"))
  return nextOf(answer)
}

/**
 * Reads the events after `since`, in a loop until the endpoint closes. Stores events and the place after them in one
 * batch. Rejects with the error that ends the connection.
 */
export const follow = async (syncing: Syncing, since: string): Promise<never> => {
  const {client, self, rooms, invitations, endpoint} = syncing
  let limit = usual
  for (let from = since; ; ) {
    const {signal} = endpoint
    const query = {filter: filterOf(limit), timeout: longPoll, since: from}
    const answer = await client
      .ask("GET", "/client/v3/sync", {query, signal, patience: longPoll + grace})
      .catch(error => {
        if (!(error instanceof AnswerTooLarge) || limit === 1) return waitFor(error, signal)
        limit = 1
        return undefined
      })
    if (answer === undefined) continue
    limit = usual
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

/** Returns a cursor that includes the account, so that another account does not resume there. */
export const cursorOf = ({id}: Self, since: string): string => `${id} ${since}`

/** Returns this account's place; undefined for the cursor of another account. */
export const sinceOf = ({id}: Self, cursor: string | undefined): string | undefined =>
  cursor?.startsWith(`${id} `) ? cursor.slice(id.length + 1) : undefined

/** Resolves to undefined once the homeserver allows the next request. */
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
  /** The id of the last message in each room. */
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
    syncing.endpoint.unreadable(room)
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
  for (const event of readEvents(listIn(fieldsIn(about, "state"), "events"))) {
    rooms.learn(room, event)
    translator.reports(room, event)
  }
  for (const event of await timelineOf(syncing, room, fieldsIn(about, "timeline"), since)) {
    if (event.stateKey !== undefined) rooms.learn(room, event)
    const incoming = await translator.incoming(room, event)
    if (incoming !== undefined) events.push(await withRoles(rooms, room, incoming))
  }
  if (events.length > 0) endpoint.log.debug(`${events.length} events of ${room}`)
  return events
}

/** Adds the roles of the user, of now. A direct room has none. */
const withRoles = async (rooms: Rooms, room: string, event: DatedIncoming): Promise<DatedIncoming> => {
  const {guild, user} = event
  const roles = guild === undefined || user === undefined ? [] : await rooms.roles.of(room, user.id)
  return user === undefined || roles.length === 0 ? event : {...event, user: {...user, roles: [...roles]}}
}

/**
 * Returns the events of a room after `since`, including those that the homeserver left out. Messages from before the
 * bot joined are not for it; in a direct room, messages sent after the invitation are.
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
  // If the bot was in the room before, left and joined again, all events are for the bot.
  const begin = shown.findIndex(event => isBegin(event) || isExit(event, self.id))
  const first = shown[begin]
  if (first !== undefined && isBegin(first)) return shown.slice(begin)
  const from = textIn(timeline, "prev_batch")
  if (timeline.limited !== true || from === undefined) return shown
  const missed = {room, from, to: since, isBegin: (event: RoomEvent) => isBegin(event) || translator.isKnown(event.id)}
  return [...(await fetchMissed(client, missed, endpoint.log, endpoint.signal)), ...shown]
}

/** Resolves once the events are durable. An event that the Host rejects is logged, and does not block the others. */
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

/** While ingress is paused, the adapter requests nothing more from the homeserver. */
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

/** Sends read receipts for stored messages. Best effort. */
const acknowledge = ({client, endpoint}: Syncing, read: ReadonlyMap<string, string>): void => {
  for (const [room, event] of read)
    client
      .ask("POST", path`/client/v3/rooms/${room}/receipt/m.read/${event}`, {body: {}, signal: endpoint.signal})
      .catch(error => endpoint.log.debug(`could not send a read receipt in ${room}`, {error}))
}
