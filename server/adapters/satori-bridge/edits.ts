import {isElement, type Node, refused} from "../../../shared/sdk/sdk.ts"
import type {Bot} from "./koishi.ts"
import type {Stock} from "./stock.ts"

type Post = (data: unknown) => Promise<unknown>

interface Encoder {
  post?: Post
  send(content: string): Promise<unknown>
}

interface Editing extends Bot {
  readonly constructor: {readonly MessageEncoder: new (bot: Bot, channel: string) => Encoder}
  editMessage(channel: string, message: string, content: string): Promise<void>
}

type Edit = (bot: Editing, channel: string, message: string) => Encoder

/**
 * Editors by package. The packages' own edits send Satori elements as text, so these use the encoder for new messages.
 */
const editors: Readonly<Record<string, Edit>> = {
  "@satorijs/adapter-discord": (bot, channel, message) => {
    const encoder = new bot.constructor.MessageEncoder(bot, channel)
    const change = bot.internal.editMessage as unknown as (...args: readonly unknown[]) => Promise<unknown>
    encoder.post = async data => change.call(bot.internal, channel, message, data)
    return encoder
  },
  "@satorijs/adapter-telegram": (bot, channel, message) => {
    const {internal} = bot
    const sendMessage: Bot["internal"][string] = async params =>
      internal.editMessageText?.({...params, message_id: Number(message)})
    const editing = Object.create(bot, {
      internal: {value: Object.create(internal, {sendMessage: {value: sendMessage}})},
    })
    return new bot.constructor.MessageEncoder(editing, channel)
  },
}

/** Fixes the bot's edits, if its package is known. */
export const mendEdits = (bot: Bot, {name}: Pick<Stock, "name">): void => {
  const edit = Object.hasOwn(editors, name) ? editors[name] : undefined
  if (edit === undefined) return
  const editing = bot as Editing
  editing.editMessage = async (channel, message, content) => {
    try {
      await edit(editing, channel, message).send(content)
    } catch (error) {
      // Telegram's answer to a repeated edit.
      if (!(error instanceof Error && error.message.includes("message is not modified"))) throw error
    }
  }
}

const files: readonly string[] = ["img", "image", "audio", "video", "file"]

/** Throws a refusal for content with files, because the packages send them as additional messages, or not at all. */
export const refuseFiles = (content: readonly Node[]): void => {
  for (const node of content) {
    if (!isElement(node)) continue
    if (files.includes(node.type))
      throw refused("Koishi adapters cannot add files to an existing message", {
        reason: "unsupported",
        remediation: "Send the file in a separate message.",
      })
    refuseFiles(node.children)
  }
}
