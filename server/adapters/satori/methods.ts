import type {Feature} from "../../../shared/sdk/sdk.ts"
import {fieldsOf, numberIn} from "./fields.ts"

/** The Satori v1 methods that are passed to the server unchanged. */
export const methodNames = [
  "channel.get",
  "channel.list",
  "channel.create",
  "channel.update",
  "channel.delete",
  "channel.mute",
  "message.get",
  "reaction.clear",
  "reaction.list",
  "user.get",
  "guild.get",
  "guild.list",
  "guild.approve",
  "guild.member.get",
  "guild.member.list",
  "guild.member.kick",
  "guild.member.mute",
  "guild.member.approve",
  "guild.member.role.set",
  "guild.member.role.unset",
  "guild.member.role.list",
  "guild.role.list",
  "guild.role.create",
  "guild.role.update",
  "guild.role.delete",
  "friend.list",
  "friend.delete",
  "friend.approve",
] as const satisfies readonly Feature[]

type Parameters = Readonly<Record<string, unknown>>

/** Adds the reference implementation's names for parameters, so that a server gets both names. */
export const parametersOf = (method: string, params: Parameters): Parameters => {
  if (/^guild\.role\.(create|update)$/.test(method)) return {data: params.role, ...params}
  if (method === "channel.mute") return {enable: (numberIn(fieldsOf(params), "duration") ?? 0) > 0, ...params}
  return params
}
