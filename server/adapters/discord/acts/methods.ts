import {type Feature, refused, type Sender} from "../../../../shared/sdk/sdk.ts"
import {type Api, requireId} from "../api/api.ts"
import {type Payload, payloadOf, payloadsOf, textIn} from "../api/payload.ts"
import {channelOf} from "../api/places.ts"
import {memberUserOf, userOf} from "../content/user.ts"
import {emojiPath, unless} from "./acts.ts"
import {callRoute} from "./routes.ts"

type Parameters = Readonly<Record<string, unknown>>

type Method = (api: Api, params: Parameters, signal: AbortSignal) => Promise<unknown>

/** A timeout lasts 28 days at most (Discord: Modify Guild Member). */
const longestMute = 28 * 24 * 3600 * 1000

const unknownMember = 10007

/** The most members that Discord returns at once. */
const membersAtOnce = 100

const guildPath = (params: Parameters): string => `/guilds/${requireId(params.guild_id, "server")}`
const memberPath = (params: Parameters): string => `${guildPath(params)}/members/${requireId(params.user_id, "user")}`
const rolePath = (params: Parameters): string => `${memberPath(params)}/roles/${requireId(params.role_id, "role")}`
const messagePath = (params: Parameters): string =>
  `/channels/${requireId(params.channel_id, "channel")}/messages/${requireId(params.message_id, "message")}`

const memberOf = (member: Payload) => {
  const joined = Date.parse(textIn(member, "joined_at") ?? "")
  const nick = textIn(member, "nick")
  return {
    user: memberUserOf(member),
    ...(nick === undefined ? {} : {nick}),
    ...(Number.isNaN(joined) ? {} : {joined_at: joined}),
    roles: (Array.isArray(member.roles) ? member.roles : []).map(id => ({id: String(id)})),
  }
}

const named = (thing: Payload) => ({id: textIn(thing, "id") ?? "", name: textIn(thing, "name") ?? ""})

/** The last entry of a page is the start of the next one. */
const pageOf = <T extends {readonly id?: string}>(
  all: readonly Payload[],
  most: number,
  data: readonly unknown[],
  last?: T,
) => ({
  data,
  ...(all.length < most || last?.id === undefined ? {} : {next: last.id}),
})

const mute: Method = async (api, params, signal) => {
  const {duration} = params
  if (typeof duration !== "number" || !(duration >= 0 && duration <= longestMute)) {
    throw refused(
      `duration must be between 0 and ${longestMute} milliseconds: Discord mutes users for 28 days at most`,
      {
        reason: "request_invalid",
        remediation: "Use a shorter duration; 0 unmutes the user.",
      },
    )
  }
  const until = duration === 0 ? null : new Date(Date.now() + duration).toISOString()
  await api.ask("PATCH", memberPath(params), {body: {communication_disabled_until: until}}, signal)
}

const kick: Method = async (api, params, signal) => {
  if (params.permanent === true) {
    const path = `${guildPath(params)}/bans/${requireId(params.user_id, "user")}`
    await api.ask("PUT", path, {body: {}}, signal)
  } else await api.ask("DELETE", memberPath(params), {}, signal).catch(unless(unknownMember))
}

const listMembers: Method = async (api, params, signal) => {
  const after = params.next === undefined ? {} : {after: requireId(params.next, "user")}
  const query = {limit: String(membersAtOnce), ...after}
  const all = payloadsOf(await api.ask("GET", `${guildPath(params)}/members`, {query}, signal))
  const members = all.map(memberOf)
  return pageOf(all, membersAtOnce, members, members.at(-1)?.user)
}

const listReactions: Method = async (api, params, signal) => {
  const path = `${messagePath(params)}/reactions/${emojiPath(String(params.emoji_id ?? ""))}`
  const after = params.next === undefined ? {} : {after: requireId(params.next, "user")}
  const all = payloadsOf(await api.ask("GET", path, {query: {limit: "100", ...after}}, signal))
  const users = all.flatMap(each => userOf(each) ?? [])
  return pageOf(all, 100, users, users.at(-1))
}

const listGuilds: Method = async (api, params, signal) => {
  const after = params.next === undefined ? {} : {after: requireId(params.next, "server")}
  const all = payloadsOf(await api.ask("GET", "/users/@me/guilds", {query: {limit: "200", ...after}}, signal))
  const guilds = all.map(named)
  return pageOf(all, 200, guilds, guilds.at(-1))
}

/** Methods of Satori v1. Discord rejects methods for which the bot lacks the permission. */
const methods: Readonly<Record<`${string}.${string}`, Method | undefined>> = {
  "guild.list": listGuilds,
  "guild.member.get": async (api, params, signal) =>
    memberOf(payloadOf(await api.ask("GET", memberPath(params), {}, signal))),
  "guild.member.list": listMembers,
  "guild.member.kick": kick,
  "guild.member.mute": mute,
  "guild.member.role.set": async (api, params, signal) => void (await api.ask("PUT", rolePath(params), {}, signal)),
  "guild.member.role.unset": async (api, params, signal) =>
    void (await api.ask("DELETE", rolePath(params), {}, signal).catch(unless(unknownMember))),
  "guild.role.list": async (api, params, signal) => ({
    data: payloadsOf(await api.ask("GET", `${guildPath(params)}/roles`, {}, signal)).map(named),
  }),
  "channel.list": async (api, params, signal) => ({
    data: payloadsOf(await api.ask("GET", `${guildPath(params)}/channels`, {}, signal)).flatMap(
      each => channelOf(each) ?? [],
    ),
  }),
  "reaction.list": listReactions,
  "reaction.clear": async (api, params, signal) => {
    const emoji = params.emoji_id === undefined ? "" : `/${emojiPath(String(params.emoji_id))}`
    await api.ask("DELETE", `${messagePath(params)}/reactions${emoji}`, {}, signal)
  },
}

export const methodNames = Object.keys(methods) as readonly Feature[]

export const createCall =
  (api: Api): NonNullable<Sender["call"]> =>
  async (name, params, signal) => {
    if (name.startsWith("discord/")) return callRoute(api, name.slice("discord/".length), params, signal)
    const found = methods[name as keyof typeof methods]
    if (found === undefined)
      throw refused(`there is no method ${name}`, {reason: "unsupported", remediation: "Call another method."})
    return found(api, params, signal)
  }
