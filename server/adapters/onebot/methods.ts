import {refused, type Sender} from "../../../shared/sdk/sdk.ts"
import {type Ask, isRecord, numberOf} from "./api.ts"

type Params = Readonly<Record<string, unknown>>
type Method = (ask: Ask, params: Params, signal: AbortSignal) => Promise<unknown>

const member = ({guild_id, user_id}: Params) => ({group_id: numberOf(guild_id), user_id: numberOf(user_id)})

const rows = (data: unknown): readonly Params[] => (Array.isArray(data) ? data.filter(isRecord) : [])

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

const toUser = ({user_id, nickname}: Params) => ({id: String(user_id), name: textOf(nickname)})

const toMember = (row: Params) => ({
  user: toUser(row),
  nick: textOf(row.card) ?? textOf(row.nickname),
  ...(typeof row.join_time === "number" ? {joined_at: row.join_time * 1000} : {}),
})

const toGuild = ({group_id, group_name}: Params) => ({id: String(group_id), name: textOf(group_name)})

const only = (data: unknown): Params => (isRecord(data) ? data : {})

/** A request to join arrives as an event whose message id is the flag. */
const decide =
  (sub_type: "add" | "invite"): Method =>
  (ask, {message_id: flag, approve, comment = ""}, signal) =>
    ask("set_group_add_request", {flag, sub_type, approve: approve === true, reason: comment}, signal)

/** Methods of Satori v1, implemented with actions of OneBot v11. */
const methods = {
  "guild.member.mute": (ask, params, signal) => {
    const {duration} = params
    if (typeof duration !== "number" || !(duration >= 0))
      throw refused("duration must be a number of milliseconds", {
        reason: "rejected",
        remediation: "Send duration in milliseconds.",
      })
    return ask("set_group_ban", {...member(params), duration: Math.ceil(duration / 1000)}, signal)
  },
  "guild.member.kick": (ask, params, signal) =>
    ask("set_group_kick", {...member(params), reject_add_request: params.permanent === true}, signal),
  "guild.member.list": async (ask, {guild_id}, signal) => ({
    data: rows(await ask("get_group_member_list", {group_id: numberOf(guild_id)}, signal)).map(toMember),
  }),
  "guild.member.get": async (ask, params, signal) =>
    toMember(only(await ask("get_group_member_info", member(params), signal))),
  "guild.list": async (ask, _, signal) => ({data: rows(await ask("get_group_list", {}, signal)).map(toGuild)}),
  "guild.get": async (ask, {guild_id}, signal) =>
    toGuild(only(await ask("get_group_info", {group_id: numberOf(guild_id)}, signal))),
  "friend.list": async (ask, _, signal) => ({data: rows(await ask("get_friend_list", {}, signal)).map(toUser)}),
  "user.get": async (ask, {user_id}, signal) =>
    toUser(only(await ask("get_stranger_info", {user_id: numberOf(user_id)}, signal))),
  "friend.approve": (ask, {message_id: flag, approve}, signal) =>
    ask("set_friend_add_request", {flag, approve: approve === true}, signal),
  "guild.approve": decide("invite"),
  "guild.member.approve": decide("add"),
} as const satisfies Readonly<Record<string, Method>>

/** An id as svc has it is text; OneBot's are numbers. */
const numbered = (params: Params): Params =>
  Object.fromEntries(
    Object.entries(params).map(([key, value]) => [
      key,
      /^(group|user|message)_id$/.test(key) && typeof value === "string" ? numberOf(value) : value,
    ]),
  )

type Name = keyof typeof methods

export const methodNames = Object.keys(methods) as readonly Name[]

export const createCall =
  (ask: Ask): NonNullable<Sender["call"]> =>
  async (method, params, signal) => {
    if (method.startsWith("onebot/")) return (await ask(method.slice("onebot/".length), numbered(params), signal)) ?? {}
    const run: Method | undefined = Object.hasOwn(methods, method) ? methods[method as Name] : undefined
    if (run === undefined) throw new Error(`there is no method ${method}`)
    return (await run(ask, params, signal)) ?? {}
  }
