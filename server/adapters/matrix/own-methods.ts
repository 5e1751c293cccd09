import {randomUUID} from "node:crypto"
import {acting, type Client, isSaid, path} from "./client/client.ts"
import {type Fields, fieldsIn, fieldsOf, textIn, textsIn} from "./client/json.ts"
import {membershipIn, requireText} from "./members.ts"
import type {Rooms} from "./rooms.ts"

interface Calling {
  readonly client: Client
  readonly rooms: Rooms
}

interface Asked {
  readonly client: Client
  readonly room: string
  readonly params: Fields
  readonly signal: AbortSignal
  /** The same for every attempt: a homeserver carries out one transaction only once. */
  readonly transaction: string
}

type Method = (asked: Asked) => Promise<unknown>

/** A method of the homeserver that does nothing if the user's membership says that it is done. */
const membership =
  (act: "invite" | "kick" | "ban" | "unban", ...done: readonly (string | undefined)[]): Method =>
  async ({client, room, params, signal}) => {
    const user = requireText(params, "user_id")
    if (done.includes(await membershipIn(client, room, user, signal))) return {}
    const body = {user_id: user, reason: textIn(params, "reason")}
    return client.ask("POST", `${path`/client/v3/rooms/${room}`}/${act}`, {body, signal})
  }

const stateRoute = (room: string, type: string, key = "") => path`/client/v3/rooms/${room}/state/${type}/${key}`

const readState = ({client, room, signal}: Asked, type: string, key?: string): Promise<Fields> =>
  client.ask("GET", stateRoute(room, type, key), {signal})

const setState = ({client, room, signal}: Asked, type: string, body: Fields, key?: string): Promise<Fields> =>
  client.ask("PUT", stateRoute(room, type, key), {body, signal})

const pins = "m.room.pinned_events"
const powers = "m.room.power_levels"

const pinning =
  (isPinned: boolean): Method =>
  async asked => {
    const event = requireText(asked.params, "event_id")
    const content = await readState(asked, pins).catch(error => {
      if (isSaid(error, "M_NOT_FOUND")) return {}
      throw error
    })
    const others = textsIn(content, "pinned").filter(each => each !== event)
    return setState(asked, pins, {...content, pinned: isPinned ? [...others, event] : others})
  }

const query = ({params: {room_id: _, event_id: __, ...more}}: Asked) => more as Readonly<Record<string, string>>

/** Matrix' own methods, by the names of `platformMethods` (https://spec.matrix.org/v1.15/client-server-api/). */
const methods: Readonly<Record<string, Method>> = {
  getEvent: ({client, room, params, signal}) =>
    client.ask("GET", path`/client/v3/rooms/${room}/event/${requireText(params, "event_id")}`, {signal}),
  getRelations: asked => {
    const route = path`/client/v1/rooms/${asked.room}/relations/${requireText(asked.params, "event_id")}`
    return asked.client.ask("GET", route, {query: query(asked), signal: asked.signal})
  },
  getState: asked => readState(asked, requireText(asked.params, "type"), textIn(asked.params, "state_key")),
  listThreads: asked =>
    asked.client.ask("GET", path`/client/v1/rooms/${asked.room}/threads`, {query: query(asked), signal: asked.signal}),
  invite: membership("invite", "invite", "join"),
  kick: membership("kick", "leave", "ban"),
  ban: membership("ban", "ban"),
  unban: membership("unban", "leave", "join", "invite", undefined),
  join: ({client, room, signal}) => client.ask("POST", path`/client/v3/join/${room}`, {body: {}, signal}),
  leave: ({client, room, signal}) => client.ask("POST", path`/client/v3/rooms/${room}/leave`, {body: {}, signal}),
  pinMessage: pinning(true),
  unpinMessage: pinning(false),
  redact: ({client, room, params, signal, transaction}) => {
    const route = path`/client/v3/rooms/${room}/redact/${requireText(params, "event_id")}/${transaction}`
    return client.ask("PUT", route, {body: {reason: textIn(params, "reason")}, signal})
  },
  sendEvent: ({client, room, params, signal, transaction}) => {
    const route = path`/client/v3/rooms/${room}/send/${requireText(params, "type")}/${transaction}`
    return client.ask("PUT", route, {body: fieldsIn(params, "content"), signal})
  },
  setName: asked => setState(asked, "m.room.name", {name: textIn(asked.params, "name") ?? ""}),
  setTopic: asked => setState(asked, "m.room.topic", {topic: textIn(asked.params, "topic") ?? ""}),
  setPowerLevel: async asked => {
    const content = await readState(asked, powers)
    const users = {...fieldsIn(content, "users"), [requireText(asked.params, "user_id")]: asked.params.level}
    return setState(asked, powers, {...content, users})
  },
  setState: asked =>
    setState(
      asked,
      requireText(asked.params, "type"),
      fieldsIn(asked.params, "content"),
      textIn(asked.params, "state_key"),
    ),
}

export const ownMethodNames = [...Object.keys(methods), "createRoom"]

/** Calls one of Matrix' own methods. `room_id` may be an alias, or the id of a channel that is a thread. */
export const callOwn = (
  {client, rooms}: Calling,
  name: string,
  params: Fields,
  signal: AbortSignal,
  id: string = randomUUID(),
): Promise<unknown> => {
  const call = async () => {
    if (name === "createRoom") return client.ask("POST", "/client/v3/createRoom", {body: fieldsOf(params), signal})
    const {room} = await rooms.find(requireText(params, "room_id"), signal)
    return methods[name]?.({client, room, params, signal, transaction: id})
  }
  return acting(call())
}
