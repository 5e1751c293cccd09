import {refused, type Sender} from "../../../shared/sdk/sdk.ts"
import {type Acting, placeOf} from "./place.ts"
import type {Room} from "./rooms/room.ts"
import {outcomeOf} from "./stream/failures.ts"
import {bare, resourceOf} from "./stream/jid.ts"
import {ns} from "./stream/names.ts"

/** The Satori methods that `call` supports. */
export const memberMethods = ["guild.member.kick", "guild.member.mute"] as const

/**
 * `guild.member.kick` removes a user from a room; with `permanent` it bans the account. `guild.member.mute` removes the
 * voice, and a `duration` of 0 restores it: rooms have no timed mutes.
 */
export const memberActs = (acting: Acting): Required<Pick<Sender, "call">> => ({
  call: async (method, params, signal) => {
    const [guild, user] = [textIn(params, "guild_id"), textIn(params, "user_id")]
    const {room} = placeOf(acting, guild)
    if (room === undefined)
      throw refused(`the bot is not in a room ${guild}`, {
        reason: "target_invalid",
        remediation: "Use the address of a room that the bot is in.",
      })
    const {session} = acting
    const {xml} = session
    const item =
      method === "guild.member.kick"
        ? params.permanent === true
          ? {affiliation: "outcast", jid: accountOf(room, user)}
          : {nick: nickOf(room, user), role: "none"}
        : {nick: nickOf(room, user), role: params.duration === 0 ? "participant" : "visitor"}
    const query = xml("query", {xmlns: ns.mucAdmin}, xml("item", item))
    await session.iq("set", room.jid, query, signal).catch(error => {
      throw outcomeOf(`${method} of ${user} in ${room.jid}`, error)
    })
    return {}
  },
})

/** Throws a refusal if a parameter is missing. */
export const textIn = (params: Readonly<Record<string, unknown>>, key: string): string => {
  const value = params[key]
  if (typeof value === "string" && value !== "") return value
  throw refused(`${key} is missing`, {reason: "params_invalid", remediation: `Send ${key} as text.`})
}

const nickOf = (room: Room, user: string): string => {
  const nick = bare(user) === room.jid ? resourceOf(user) : room.nickOfAccount(bare(user))
  if (nick !== undefined && nick !== "") return nick
  throw absent(room, user, "Use room/nick of a user in the room; an account works only if the room shows accounts.")
}

const accountOf = (room: Room, user: string): string => {
  const account = bare(user) === room.jid ? room.occupants.get(resourceOf(user))?.account : bare(user)
  if (account !== undefined) return account
  throw absent(room, user, "The room hides accounts from the bot: make the bot a moderator, or use the user's account.")
}

const absent = (room: Room, user: string, remediation: string) =>
  refused(`there is no ${user} in ${room.jid}`, {reason: "user_unknown", remediation})
