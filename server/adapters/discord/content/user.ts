import type {User} from "../../../../shared/sdk/sdk.ts"
import {idIn, isSnowflake, type Payload, payloadOf, textIn} from "../api/payload.ts"

/** Returns a user, with the nick in the guild if `member` has one; undefined if the payload has no id. */
export const userOf = (user: Payload, member: Payload = {}): User | undefined => {
  const id = idIn(user)
  if (id === undefined) return undefined
  const name = textIn(user, "username")
  const nick = textIn(member, "nick") ?? textIn(user, "global_name")
  const avatar = textIn(user, "avatar")
  const {roles} = member
  return {
    id,
    ...(name === undefined ? {} : {name}),
    ...(nick === undefined ? {} : {nick}),
    ...(avatar === undefined ? {} : {avatar: `https://cdn.discordapp.com/avatars/${id}/${avatar}.png`}),
    ...(user.bot === true ? {is_bot: true} : {}),
    ...(Array.isArray(roles) ? {roles: roles.filter(isSnowflake)} : {}),
  }
}

/** Returns the user in a member of an event or of an API answer. */
export const memberUserOf = (member: Payload): User | undefined => userOf(payloadOf(member.user), member)
