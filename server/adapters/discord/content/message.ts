import {type Element, fileElement, h, type Node, renderContent} from "../../../../shared/sdk/sdk.ts"
import {idIn, numberIn, type Payload, payloadOf, payloadsOf, textIn} from "../api/payload.ts"
import {type Named, readMarkdown} from "./read.ts"
import {userOf} from "./user.ts"

/**
 * Types of messages that a user or a bot wrote: usual ones, replies, and answers of commands. The others are Discord's
 * own.
 */
const said: readonly number[] = [0, 19, 20, 23]

export const isSaid = (message: Payload): boolean => said.includes(numberIn(message, "type") ?? 0)

/** Returns a message in Satori's elements. `channelName` looks up names of channels. */
export const contentOf = (message: Payload, channelName: (id: string) => string | undefined): string => {
  const named = namedIn(message, channelName)
  return renderContent([
    ...quoteOf(message, channelName),
    ...readMarkdown(textIn(message, "content") ?? "", named),
    ...payloadsOf(message.sticker_items).flatMap(stickerOf),
    ...payloadsOf(message.attachments).flatMap(attachmentOf),
    ...forwardsOf(message, named),
  ])
}

const namedIn = (message: Payload, channelName: (id: string) => string | undefined): Named => {
  const users = new Map(
    payloadsOf(message.mentions).map(each => [idIn(each), textIn(each, "global_name") ?? textIn(each, "username")]),
  )
  const channels = new Map(payloadsOf(message.mention_channels).map(each => [idIn(each), textIn(each, "name")]))
  return {
    user: id => users.get(id),
    channel: id => channels.get(id) ?? channelName(id),
    everyone: message.mention_everyone === true,
  }
}

/** Returns the quote of the message that this one answers. */
const quoteOf = (message: Payload, channelName: (id: string) => string | undefined): readonly Node[] => {
  const reference = payloadOf(message.message_reference)
  const id = idIn(reference, "message_id")
  if (id === undefined || numberIn(message, "type") !== 19) return []
  const quoted = payloadOf(message.referenced_message)
  const author = userOf(payloadOf(quoted.author))
  const text = textIn(quoted, "content")
  return [
    h(
      "quote",
      {id},
      ...(author === undefined ? [] : [h("author", {id: author.id, name: author.nick ?? author.name})]),
      ...(text === undefined ? [] : readMarkdown(text, namedIn(quoted, channelName))),
      ...payloadsOf(quoted.attachments).flatMap(attachmentOf),
    ),
  ]
}

/** Returns the messages that this one forwards. */
const forwardsOf = (message: Payload, named: Named): readonly Node[] =>
  payloadsOf(message.message_snapshots).map(snapshot => {
    const forwarded = payloadOf(snapshot.message)
    return h(
      "message",
      {forward: true},
      ...readMarkdown(textIn(forwarded, "content") ?? "", named),
      ...payloadsOf(forwarded.attachments).flatMap(attachmentOf),
    )
  })

const attachmentOf = (attachment: Payload): readonly Element[] => {
  const src = textIn(attachment, "url")
  if (src === undefined || !URL.canParse(src)) return []
  return [
    fileElement({
      src,
      name: textIn(attachment, "filename"),
      type: textIn(attachment, "content_type")?.split(";")[0],
      size: numberIn(attachment, "size"),
    }),
  ]
}

/** Stickers are images, except Lottie stickers (type 3), which are drawings in JSON. */
const stickerOf = (sticker: Payload): readonly Element[] => {
  const id = idIn(sticker)
  if (id === undefined) return []
  const [format, title] = [numberIn(sticker, "format_type"), textIn(sticker, "name") ?? "sticker"]
  if (format === 3) return [h("img", {title})]
  const ending = format === 4 ? "gif" : "png"
  return [h("img", {src: `https://media.discordapp.net/stickers/${id}.${ending}`, title})]
}
