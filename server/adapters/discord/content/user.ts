import type {User} from "../../../../shared/sdk/sdk.ts"
import {idIn, type Payload, payloadOf, textIn} from "../payload.ts"

/** A user, with what the guild calls them where `member` says it; undefined where it is none. */
export const userOf = (user: Payload, member: Payload = {}): User | undefined => {
  const id = idIn(user)
  if (id === undefined) return undefined
  const name = textIn(user, "username")
  const nick = textIn(member, "nick") ?? textIn(user, "global_name")
  const avatar = textIn(user, "avatar")
  return {
    id,
    ...(name === undefined ? {} : {name}),
    ...(nick === undefined ? {} : {nick}),
    ...(avatar === undefined ? {} : {avatar: `https://cdn.discordapp.com/avatars/${id}/${avatar}.png`}),
    ...(user.bot === true ? {is_bot: true} : {}),
  }
}

/** The member that an event or an answer of the API tells of, whose user is in it. */
export const memberUserOf = (member: Payload): User | undefined => userOf(payloadOf(member.user), member)
