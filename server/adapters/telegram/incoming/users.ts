import type {Chat, Message, User as TelegramUser} from "grammy/types"
import {type Channel, channelType, type User} from "../../../../shared/sdk/sdk.ts"
import {channelIdOf} from "../api/place.ts"

/** Returns the name that users see. */
export const nameOf = ({first_name, last_name}: Pick<TelegramUser, "first_name" | "last_name">): string =>
  last_name === undefined ? first_name : `${first_name} ${last_name}`

export const userOf = (user: TelegramUser): User => ({
  id: String(user.id),
  name: user.username ?? nameOf(user),
  nick: nameOf(user),
  is_bot: user.is_bot,
  ...(user.language_code === undefined ? {} : {locale: user.language_code}),
})

/** Returns a channel, or a group for which an administrator writes, as a user. */
export const chatUserOf = (chat: Chat): User => ({id: String(chat.id), name: titleOf(chat)})

/** Returns the author. A post in a channel, or as a channel or group, does not name the user; a group repeats posts of its channel. */
export const authorOf = ({from, sender_chat, is_automatic_forward}: Message): User | undefined => {
  if (sender_chat === undefined) return from && userOf(from)
  return is_automatic_forward === true
    ? {...chatUserOf(sender_chat), roles: ["linked_channel"]}
    : chatUserOf(sender_chat)
}

/** Returns the name of a chat that users see. */
export const titleOf = (chat: Pick<Chat, "id" | "title" | "username" | "first_name">): string =>
  chat.title ?? chat.username ?? chat.first_name ?? String(chat.id)

/**
 * Returns the place of an event. Every group chat is a guild, whose channels are the chat itself and the topics of a
 * forum.
 */
export const placeOf = (chat: Chat, topic?: number) => {
  const isDirect = chat.type === "private"
  const channel: Channel = {
    id: channelIdOf(chat.id, topic),
    type: isDirect ? channelType.direct : channelType.text,
    name: titleOf(chat),
  }
  return isDirect ? {channel} : {channel, guild: {id: String(chat.id), name: titleOf(chat)}}
}
