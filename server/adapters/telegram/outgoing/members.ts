import type {ChatPermissions} from "grammy/types"
import {type Feature, refused} from "../../../../shared/sdk/sdk.ts"
import {type ApiSignal, apiSignal, type Bot} from "../api/bot.ts"
import type {Place, Places} from "../api/place.ts"
import {userOf} from "../incoming/users.ts"

type Params = Readonly<Record<string, unknown>>

/** A user in a group. */
interface Member extends Pick<Place, "chat_id"> {
  readonly user_id: number
}

type Method = (bot: Bot, member: Member, params: Params, signal: ApiSignal) => Promise<unknown>

/** Telegram mutes forever for less than 30 seconds, or for more than 366 days. In seconds. */
const shortest = 35
const longest = 366 * 24 * 3600

const speaking = {
  can_send_messages: true,
  can_send_audios: true,
  can_send_documents: true,
  can_send_photos: true,
  can_send_videos: true,
  can_send_video_notes: true,
  can_send_voice_notes: true,
  can_send_polls: true,
  can_send_other_messages: true,
  can_add_web_page_previews: true,
} as const satisfies ChatPermissions

const silent: ChatPermissions = Object.fromEntries(Object.keys(speaking).map(key => [key, false]))

/** Mutes a user. A duration of 0 unmutes, and the group's default permissions apply again. */
const mute: Method = async ({api}, member, {duration}, signal) => {
  if (typeof duration !== "number" || !(duration >= 0)) throw wrong("duration in milliseconds; 0 unmutes")
  const seconds = Math.min(longest, Math.max(shortest, Math.ceil(duration / 1000)))
  if (duration === 0) await api.restrictChatMember({...member, permissions: speaking}, signal)
  else {
    const until_date = Math.floor(Date.now() / 1000) + seconds
    await api.restrictChatMember({...member, permissions: silent, until_date}, signal)
  }
}

/** Telegram removes a user by a ban. Without `permanent`, the ban is lifted at once, so that the user may return. */
const kick: Method = async ({api}, member, {permanent}, signal) => {
  await api.banChatMember(member, signal)
  if (permanent !== true) await api.unbanChatMember({...member, only_if_banned: true}, signal)
}

const get: Method = async ({api}, member, _, signal) => {
  const found = await api.getChatMember(member, signal)
  const title = "custom_title" in found && found.custom_title !== undefined ? {nick: found.custom_title} : {}
  return {user: userOf(found.user), ...title, roles: [{id: found.status}]}
}

const methods: Readonly<Record<string, Method>> = {
  "guild.member.get": get,
  "guild.member.kick": kick,
  "guild.member.mute": mute,
}

export const methodNames = Object.keys(methods) as readonly Feature[]

/** Calls a Satori method. */
export const callMethod = (
  bot: Bot,
  places: Places,
  name: string,
  params: Params,
  signal: AbortSignal,
): Promise<unknown> => {
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined
  if (method === undefined) throw wrong("a method that it supports")
  const {guild_id: guild, user_id: user} = params
  if (typeof guild !== "string" || guild === "") throw wrong("guild_id, the id of a group")
  if (typeof user !== "string" || !/^\d+$/.test(user)) throw wrong("user_id, the numeric id of a user")
  return places.in(guild, ({chat_id}) => method(bot, {chat_id, user_id: Number(user)}, params, apiSignal(signal)))
}

const wrong = (what: string): Error =>
  refused(`Telegram needs ${what}`, {
    reason: "request_invalid",
    remediation: "Send the parameters that Satori v1 defines for this method.",
  })
