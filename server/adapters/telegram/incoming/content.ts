import type {Message} from "grammy/types"
import {type Element, h, type Node} from "../../../../shared/sdk/sdk.ts"
import {fileOf} from "./files.ts"
import {type Self, toNodes} from "./text.ts"
import {authorOf} from "./users.ts"

/** Returns the content of a message without the quoted one; empty for service messages, such as a new title. */
export const contentOf = (message: Message, me: Self): readonly Node[] => {
  const file = fileOf(message)
  const text = message.text ?? message.caption ?? ""
  const nodes = toNodes(text, message.entities ?? message.caption_entities ?? [], me)
  if (file !== undefined) return [file, ...nodes]
  return text === "" ? describe(message) : nodes
}

/** Content without a Satori element becomes text. */
const describe = ({contact, venue, location, poll, dice}: Message): readonly Node[] => {
  if (contact !== undefined)
    return [[contact.first_name, contact.last_name, contact.phone_number].filter(Boolean).join(" ")]
  if (venue !== undefined) return [`${venue.title}, ${venue.address} (${pointOf(venue.location)})`]
  if (location !== undefined) return [pointOf(location)]
  if (poll !== undefined) return [[poll.question, ...poll.options.map(({text}) => `- ${text}`)].join("\n")]
  return dice === undefined ? [] : [`${dice.emoji} ${dice.value}`]
}

const pointOf = ({latitude, longitude}: {readonly latitude: number; readonly longitude: number}) =>
  `${latitude}, ${longitude}`

/** Returns the quoted message. In a topic, each message names the topic's first message, which is not a quote. */
export const quoteOf = (message: Message, me: Self): Element | undefined => {
  const answered = message.reply_to_message
  if (answered === undefined || answered.forum_topic_created !== undefined) return undefined
  if (message.is_topic_message === true && answered.message_id === message.message_thread_id) return undefined
  const user = authorOf(answered)
  const author = user === undefined ? [] : [h("author", {id: user.id, name: user.nick ?? user.name})]
  return h("quote", {id: String(answered.message_id)}, ...author, ...contentOf(answered, me))
}
