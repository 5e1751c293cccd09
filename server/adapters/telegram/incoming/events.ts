import type {
  CallbackQuery,
  ChatMemberUpdated,
  Message,
  MessageReactionUpdated,
  PollAnswer,
  ReactionType,
  Update,
} from "grammy/types"
import {type DatedIncoming, renderContent} from "../../../../shared/sdk/sdk.ts"
import {contentOf, quoteOf} from "./content.ts"
import {knownUpdate} from "./known.ts"
import type {Self} from "./text.ts"
import {authorOf, chatUserOf, placeOf, userOf} from "./users.ts"

/** The kinds of updates to request: those that `readUpdate` reads. */
export const allowedUpdates = [
  "message",
  "edited_message",
  "channel_post",
  "edited_channel_post",
  "message_reaction",
  "callback_query",
  "poll_answer",
  "my_chat_member",
  "chat_member",
] as const

type Incoming = Omit<DatedIncoming, "id" | "raw">

/**
 * Returns the events of an update; empty if the bot does not need it. `onUnknown` hears of what the adapter does not
 * know in it.
 */
export const readUpdate = (
  update: Update,
  me: Self,
  onUnknown: (what: string) => void = () => {},
): readonly DatedIncoming[] => {
  const known = knownUpdate(update, onUnknown)
  const kind = allowedUpdates.find(each => known[each] !== undefined)
  if (kind === undefined) {
    onUnknown(Object.keys(update).find(name => name !== "update_id") ?? "update")
    return []
  }
  const id = String(update.update_id)
  // If an update contains several events, each has an id that stays the same when Telegram sends the update again.
  return eventsOf(known, me).map((event, index) => ({
    ...event,
    id: index === 0 ? id : `${id}.${index + 1}`,
    raw: {type: kind, data: update[kind]},
  }))
}

const eventsOf = (update: Update, me: Self): readonly Incoming[] => {
  const said = update.message ?? update.channel_post
  if (said !== undefined) return messageEvent("message-created", said, me)
  const edited = update.edited_message ?? update.edited_channel_post
  if (edited !== undefined) return messageEvent("message-updated", edited, me)
  if (update.callback_query !== undefined) return pressEvent(update.callback_query)
  if (update.message_reaction !== undefined) return reactionEvents(update.message_reaction)
  if (update.poll_answer !== undefined) return voteEvent(update.poll_answer)
  const member = update.chat_member ?? update.my_chat_member
  return member === undefined ? [] : memberEvents(member, me)
}

const topicOf = ({is_topic_message, message_thread_id}: Message): number | undefined =>
  is_topic_message === true ? message_thread_id : undefined

const messageEvent = (type: "message-created" | "message-updated", message: Message, me: Self): readonly Incoming[] => {
  const content = contentOf(message, me)
  const user = authorOf(message)
  if (content.length === 0 || message.from?.id === me.id) return []
  const quote = quoteOf(message, me)
  return [
    {
      type,
      timestamp: (message.edit_date ?? message.date) * 1000,
      ...placeOf(message.chat, topicOf(message)),
      ...(user && {user}),
      message: {
        id: String(message.message_id),
        content: renderContent(quote === undefined ? content : [quote, ...content]),
        created_at: message.date * 1000,
      },
    },
  ]
}

/** Telegram sends the button's message for 48 hours; for an older one, only its id. */
const pressEvent = ({from, data, message}: CallbackQuery): readonly Incoming[] => {
  if (data === undefined || message === undefined) return []
  const topic = message.date === 0 ? undefined : topicOf(message)
  return [
    {
      type: "interaction/button",
      timestamp: Date.now(),
      ...placeOf(message.chat, topic),
      user: userOf(from),
      message: {id: String(message.message_id), content: ""},
      button: {id: data},
    },
  ]
}

/** A vote in a poll of the bot. Telegram names no chat, and no voter of an anonymous poll. */
const voteEvent = ({user, voter_chat}: PollAnswer): readonly Incoming[] => {
  const voter = voter_chat === undefined ? user && userOf(user) : chatUserOf(voter_chat)
  return [{type: "internal", timestamp: Date.now(), ...(voter && {user: voter})}]
}

/** A Unicode emoji is its own id; a custom emoji of Telegram has a number. */
const emojiOf = (reaction: ReactionType): {readonly id: string} => {
  if (reaction.type === "emoji") return {id: reaction.emoji}
  return {id: reaction.type === "custom_emoji" ? `custom:${reaction.custom_emoji_id}` : reaction.type}
}

const reactionEvents = (reaction: MessageReactionUpdated): readonly Incoming[] => {
  const [before, now] = [reaction.old_reaction.map(emojiOf), reaction.new_reaction.map(emojiOf)]
  const without = (those: typeof now, others: typeof now) =>
    those.filter(({id}) => others.every(each => each.id !== id))
  const user =
    reaction.user === undefined ? reaction.actor_chat && chatUserOf(reaction.actor_chat) : userOf(reaction.user)
  const event = (type: string) => (emoji: {readonly id: string}) => ({
    type,
    timestamp: reaction.date * 1000,
    ...placeOf(reaction.chat),
    ...(user && {user}),
    message: {id: String(reaction.message_id), content: ""},
    emoji,
  })
  return [...without(before, now).map(event("reaction-removed")), ...without(now, before).map(event("reaction-added"))]
}

const isIn = ({status, ...member}: ChatMemberUpdated["new_chat_member"]): boolean =>
  status === "restricted" ? "is_member" in member && member.is_member : !["left", "kicked"].includes(status)

/**
 * Reports a user who joined or left; for the bot itself, its guild. A private chat has no members: there, the user
 * blocked or unblocked the bot.
 */
const memberEvents = (
  {chat, date, old_chat_member, new_chat_member}: ChatMemberUpdated,
  me: Self,
): readonly Incoming[] => {
  const {guild} = placeOf(chat)
  if (guild === undefined) return []
  const [was, is] = [isIn(old_chat_member), isIn(new_chat_member)]
  const {user} = new_chat_member
  const what = user.id === me.id ? "guild" : "guild-member"
  const change = was === is ? "updated" : is ? "added" : "removed"
  return [{type: `${what}-${change}`, timestamp: date * 1000, guild, user: userOf(user)}]
}
