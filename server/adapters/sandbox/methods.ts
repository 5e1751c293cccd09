import {channelType, type Feature, refused} from "../../../shared/sdk/sdk.ts"
import {type Guild, guild} from "./guild.ts"
import type {Room} from "./room.ts"

type Parameters = Readonly<Record<string, unknown>>

/** The platform that a method acts on. `row` is the same for every attempt of one act. */
export interface Place {
  readonly guild: Guild
  readonly room: Room
  readonly row: string
}

interface Method {
  /** Returns the answer that Satori v1 defines. */
  readonly run: (place: Place, params: Parameters) => unknown
  /** Returns what users in the sandbox see after "the bot"; absent for methods that only read. */
  readonly seen?: (params: Parameters) => string
}

const method = (run: Method["run"], seen?: Method["seen"]): Method => (seen === undefined ? {run} : {run, seen})

const bot = {id: "bot", name: "bot", is_bot: true}

const userOf = (id: string) => (id === bot.id ? bot : {id, name: id})

const memberOf = (place: Place, id: string) => {
  const {joinedAt} = place.guild.member(id)
  return {user: userOf(id), joined_at: joinedAt, roles: place.guild.rolesOf(id)}
}

/** Returns a list as a single page. */
const listOf = (data: readonly unknown[]) => ({data})

const wrong = (what: string): Error =>
  refused(`the sandbox needs ${what}`, {
    reason: "request_invalid",
    remediation: "Send the parameters that Satori v1 defines for this method.",
  })

const text = (params: Parameters, key: string): string => {
  const value = params[key]
  if (typeof value === "string" && value !== "") return value
  throw wrong(`${key}, a text`)
}

const milliseconds = (params: Parameters, key: string): number => {
  const value = params[key]
  if (typeof value === "number" && value >= 0) return value
  throw wrong(`${key} in milliseconds; 0 unmutes`)
}

const nameIn = (params: Parameters, key: string): string => {
  const value = params[key]
  const name = typeof value === "object" && value !== null && "name" in value ? value.name : undefined
  if (typeof name === "string" && name !== "") return name
  throw wrong(`${key}.name, a text`)
}

const typeIn = ({data}: Parameters): number =>
  typeof data === "object" && data !== null && "type" in data && typeof data.type === "number"
    ? data.type
    : channelType.text

const muting = (who: string, duration: number): string =>
  duration === 0 ? `unmutes ${who}` : `mutes ${who} for ${Math.ceil(duration / 1000)} s`

/**
 * The methods of Satori v1 for guilds, channels, members, roles and moderation. The sandbox has no friends and no
 * requests. The Host itself answers `guild.get`, `channel.get`, `user.get` and `message.get` from its inbox, across
 * restarts.
 */
const methods: Readonly<Record<`${string}.${string}`, Method | undefined>> = {
  "guild.list": method(() => listOf([guild])),
  "guild.member.get": method((place, params) => memberOf(place, text(params, "user_id"))),
  "guild.member.list": method(place => listOf(place.guild.members().map(id => memberOf(place, id)))),
  "guild.member.kick": method(
    (place, params) => place.guild.kick(text(params, "user_id"), params.permanent === true),
    params => `${params.permanent === true ? "bans" : "removes"} ${params.user_id}`,
  ),
  "guild.member.mute": method(
    (place, params) => place.guild.mute(text(params, "user_id"), milliseconds(params, "duration")),
    params => muting(String(params.user_id), Number(params.duration)),
  ),
  "guild.member.role.list": method((place, params) => listOf(place.guild.rolesOf(text(params, "user_id")))),
  "guild.member.role.set": method(
    (place, params) => place.guild.giveRole(text(params, "user_id"), text(params, "role_id")),
    params => `gives ${params.user_id} the role ${params.role_id}`,
  ),
  "guild.member.role.unset": method(
    (place, params) => place.guild.takeRole(text(params, "user_id"), text(params, "role_id")),
    params => `takes the role ${params.role_id} from ${params.user_id}`,
  ),
  "guild.role.list": method(place => listOf(place.guild.roles())),
  "guild.role.create": method(
    ({guild, row}, params) => guild.createRole(row, nameIn(params, "role")),
    params => `creates the role ${nameIn(params, "role")}`,
  ),
  "guild.role.update": method(
    ({guild}, params) => guild.renameRole(text(params, "role_id"), nameIn(params, "role")),
    params => `renames the role ${params.role_id} to ${nameIn(params, "role")}`,
  ),
  "guild.role.delete": method(
    ({guild}, params) => guild.deleteRole(text(params, "role_id")),
    params => `deletes the role ${params.role_id}`,
  ),
  "channel.list": method(({guild}) => listOf(guild.channels())),
  "channel.create": method(
    ({guild, row}, params) => guild.createChannel(row, nameIn(params, "data"), typeIn(params)),
    params => `creates the channel ${nameIn(params, "data")}`,
  ),
  "channel.update": method(
    ({guild}, params) => guild.renameChannel(text(params, "channel_id"), nameIn(params, "data")),
    params => `renames the channel ${params.channel_id} to ${nameIn(params, "data")}`,
  ),
  "channel.delete": method(
    ({guild}, params) => guild.deleteChannel(text(params, "channel_id")),
    params => `deletes the channel ${params.channel_id}`,
  ),
  "channel.mute": method(
    ({guild}, params) => guild.muteChannel(text(params, "channel_id"), milliseconds(params, "duration")),
    params => muting(String(params.channel_id), Number(params.duration)),
  ),
  "reaction.list": method(({room}, params) => {
    const {reactions} = room.message(text(params, "channel_id"), text(params, "message_id"))
    return listOf(reactions.includes(text(params, "emoji_id")) ? [bot] : [])
  }),
  "reaction.clear": method(({room}, params) => {
    const emoji = params.emoji_id === undefined ? undefined : text(params, "emoji_id")
    room.clearReactions(text(params, "channel_id"), text(params, "message_id"), emoji)
  }),
}

export const methodNames = Object.keys(methods) as readonly Feature[]

/** Runs a Satori method, and shows it to listeners. */
export const callMethod = (name: string, params: Parameters, place: Place): unknown => {
  const found = methods[name as keyof typeof methods]
  if (found === undefined) throw wrong("a method that it supports")
  if (params.guild_id !== undefined && params.guild_id !== guild.id) throw wrong(`guild_id "${guild.id}", or none`)
  const answer = found.run(place, params)
  if (found.seen !== undefined) place.room.tellAll(found.seen(params))
  return answer
}
