import {type Channel, channelType, refused, type User} from "../../../shared/sdk/sdk.ts"
import {acting, type Client, isSaid, path} from "./client/client.ts"
import {type Fields, fieldsIn, fieldsOf, textIn} from "./client/json.ts"
import {localPart} from "./client/login.ts"
import type {Rooms} from "./rooms.ts"

/** The largest list of members, in bytes. */
const longestList = 16 * 1024 * 1024

/** The Satori methods that the adapter supports. */
export const methods = ["guild.member.kick", "guild.member.get", "guild.member.list", "user.get"] as const

interface Calling {
  readonly client: Client
  readonly rooms: Rooms
}

/** Moderates members and lists them. A room is its own guild. */
export const createCall =
  ({client, rooms}: Calling) =>
  (method: string, params: Fields, signal: AbortSignal): Promise<unknown> => {
    const memberOf = async () => ({room: await roomIn(rooms, params, signal), user: requireText(params, "user_id")})
    const answers: Readonly<Record<(typeof methods)[number], () => Promise<unknown>>> = {
      "guild.member.kick": async () => {
        const {room, user} = await memberOf()
        const act = params.permanent === true ? "ban" : "kick"
        // After a kill, the Host may repeat the call: a user who is already out needs no second kick.
        const now = await membershipIn(client, room, user, signal)
        if (now === "ban" || (act === "kick" && now === "leave")) return {}
        const reason = textIn(params, "reason")
        const body = {user_id: user, ...(reason === undefined ? {} : {reason})}
        await client.ask("POST", `${path`/client/v3/rooms/${room}`}/${act}`, {body, signal})
        return {}
      },
      "guild.member.get": async () => {
        const {room, user} = await memberOf()
        const content = await client.ask("GET", path`/client/v3/rooms/${room}/state/m.room.member/${user}`, {signal})
        return {user: userOf(user, textIn(content, "displayname"))}
      },
      "guild.member.list": async () => {
        const room = await roomIn(rooms, params, signal)
        const answer = await client.ask("GET", path`/client/v3/rooms/${room}/joined_members`, {
          signal,
          most: longestList,
        })
        const joined = Object.entries(fieldsIn(answer, "joined"))
        return {data: joined.map(([id, about]) => ({user: userOf(id, textIn(fieldsOf(about), "display_name"))}))}
      },
      "user.get": async () => {
        const user = requireText(params, "user_id")
        return userOf(user, textIn(await client.ask("GET", path`/client/v3/profile/${user}`, {signal}), "displayname"))
      },
    }
    const answer = Object.hasOwn(answers, method) ? answers[method as (typeof methods)[number]] : undefined
    if (answer === undefined)
      return Promise.reject(
        refused(`there is no method ${method}`, {reason: "unsupported", remediation: "Do not call it."}),
      )
    return acting(answer())
  }

const userOf = (id: string, name: string | undefined): User => ({id, name: name?.trim() || localPart(id)})

export const requireText = (params: Fields, key: string): string => {
  const text = textIn(params, key)
  if (text !== undefined && text !== "") return text
  throw refused(`${key} is missing`, {reason: "params_invalid", remediation: `Send ${key}.`})
}

const roomIn = async (rooms: Rooms, params: Fields, signal: AbortSignal): Promise<string> =>
  (await rooms.find(requireText(params, "guild_id"), signal)).room

/** Returns the direct room with a user: an existing one with both as members or invited, otherwise a new one. */
export const createOpen =
  ({client, rooms}: Calling) =>
  (user: string, signal: AbortSignal): Promise<Channel> =>
    acting(openDirect({client, rooms}, user, signal))

const openDirect = async ({client, rooms}: Calling, user: string, signal: AbortSignal): Promise<Channel> => {
  if (!/^@[^:\s]*:\S+$/.test(user))
    throw refused(`"${user}" is not a Matrix user`, {
      reason: "target_invalid",
      remediation: "Write the user as @name:server.",
    })
  for (const room of rooms.directWith(user)) {
    if (await isTogether(client, room, user, signal)) return {id: room, type: channelType.direct}
  }
  const body = {preset: "trusted_private_chat", is_direct: true, invite: [user]}
  const room = textIn(await client.ask("POST", "/client/v3/createRoom", {body, signal}), "room_id")
  if (room === undefined) throw new Error("POST /client/v3/createRoom: the homeserver returned no room")
  await rooms.addDirect(room, user)
  return {id: room, type: channelType.direct}
}

const isTogether = async (client: Client, room: string, user: string, signal: AbortSignal): Promise<boolean> => {
  const membership = await membershipIn(client, room, user, signal)
  return membership === "join" || membership === "invite"
}

/**
 * Returns undefined if the user was never in the room, or if the bot has left it, because the homeserver then hides it.
 */
export const membershipIn = async (
  client: Client,
  room: string,
  user: string,
  signal: AbortSignal,
): Promise<string | undefined> => {
  const route = path`/client/v3/rooms/${room}/state/m.room.member/${user}`
  const content = await client.ask("GET", route, {signal}).catch(error => {
    if (isSaid(error, "M_FORBIDDEN", "M_NOT_FOUND")) return {}
    throw error
  })
  return textIn(content, "membership")
}
