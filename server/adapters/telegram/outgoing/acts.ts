import type {ReactionType} from "grammy/types"
import {
  type Channel,
  type CommandSummary,
  channelType,
  type Edit,
  type Endpoint,
  type FileRef,
  type Reaction,
  refused,
} from "../../../../shared/sdk/sdk.ts"
import {apiSignal, type Bot} from "../api/bot.ts"
import {BotApiError} from "../api/failures.ts"
import type {Place} from "../api/place.ts"
import {readSrc} from "../incoming/files.ts"
import {titleOf} from "../incoming/users.ts"
import {keyboardOf} from "./buttons.ts"
import {shownMedia} from "./methods.ts"
import {captionOf, type Prepared, prepare} from "./send.ts"

/** Resolves if Telegram refuses an act because its result already exists. */
const unless = (already: RegExp, act: Promise<unknown>): Promise<void> =>
  act.then(
    () => {},
    error => {
      if (!(error instanceof BotApiError) || !error.says(already)) throw error
    },
  )

/** Replaces a message: its text, the caption of its file, or the file itself, each with buttons. */
export const edit = async (
  bot: Bot,
  endpoint: Endpoint,
  {message, content}: Edit,
  {chat_id}: Place,
  signal: AbortSignal,
): Promise<void> => {
  const prepared = await prepare(content, endpoint, bot)
  const target = {chat_id, message_id: messageId(message), reply_markup: keyboardOf(prepared.buttons)}
  await unless(/message is not modified/i, change(bot, prepared, target, signal))
}

type Target = {chat_id: number | string; message_id: number; reply_markup: ReturnType<typeof keyboardOf>}

const change = async ({api}: Bot, prepared: Prepared, target: Target, signal: AbortSignal): Promise<unknown> => {
  const {text, entities, media} = prepared
  const [first, ...more] = media
  if (more.length > 0)
    throw refused("a Telegram message can have only one file", {
      reason: "unsupported",
      remediation: "Edit the message with one file, and send the others.",
    })
  if (first !== undefined)
    return api.editMessageMedia({...target, media: shownMedia(first, captionOf(prepared))}, apiSignal(signal))
  try {
    return await api.editMessageText({...target, text, entities}, apiSignal(signal))
  } catch (error) {
    // The message has a file, which does not change.
    if (!(error instanceof BotApiError) || !error.says(/there is no text in the message/i)) throw error
    return api.editMessageCaption({...target, ...captionOf(prepared)}, apiSignal(signal))
  }
}

/** A message that no longer exists counts as deleted. */
export const remove = ({api}: Bot, message: string, {chat_id}: Place, signal: AbortSignal): Promise<void> =>
  unless(
    /message to delete not found|message_id_invalid/i,
    api.deleteMessage({chat_id, message_id: messageId(message)}, apiSignal(signal)),
  )

/** A bot has one reaction per message. A new one replaces it. */
export const react = async (
  {api}: Bot,
  {message, emoji}: Reaction,
  {chat_id}: Place,
  signal: AbortSignal,
): Promise<void> => {
  const reaction = [reactionOf(emoji)]
  await api.setMessageReaction({chat_id, message_id: messageId(message), reaction}, apiSignal(signal))
}

export const unreact = async (
  {api}: Bot,
  {message}: Reaction,
  {chat_id}: Place,
  signal: AbortSignal,
): Promise<void> => {
  await api.setMessageReaction({chat_id, message_id: messageId(message), reaction: []}, apiSignal(signal))
}

/** Telegram writes its emoji without variation selectors, and decides which ones it accepts. */
const reactionOf = (emoji: string): ReactionType => {
  const [, custom] = /^custom:(\d+)$/.exec(emoji) ?? []
  if (custom !== undefined) return {type: "custom_emoji", custom_emoji_id: custom}
  return {type: "emoji", emoji: emoji.replaceAll("\ufe0f", "")} as ReactionType
}

/** Opens a user's private chat, which has the user's id. Telegram refuses if the user has never written to the bot. */
export const open = async ({api}: Bot, user: string, signal: AbortSignal): Promise<Channel> => {
  if (!/^\d+$/.test(user))
    throw refused(`"${user}" is not a Telegram user`, {
      reason: "target_invalid",
      remediation: "Use the user's numeric id.",
    })
  const chat = await api.getChat({chat_id: Number(user)}, apiSignal(signal))
  return {id: user, type: channelType.direct, name: titleOf(chat)}
}

/** Telegram's limits: the number of commands, their names, and the length of a description. */
const listed = {commands: 100, name: /^[a-z0-9_]{1,32}$/, description: 256} as const

/** Lists the commands. Those of several words or with other names work, but are not listed. */
export const setCommands = async (
  {api}: Bot,
  commands: readonly CommandSummary[],
  signal: AbortSignal,
): Promise<void> => {
  const fitting = commands
    .filter(({name}) => listed.name.test(name))
    .slice(0, listed.commands)
    .map(({name, description}) => ({command: name, description: description.slice(0, listed.description) || name}))
  await api.setMyCommands({commands: fitting}, apiSignal(signal))
}

/** Opens files of messages. The address, which contains the token, stays in this module. */
export const download = async (
  bot: Bot,
  {src}: FileRef,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array> | undefined> => {
  const file = readSrc(src)
  if (file === undefined) return undefined
  const {file_path} = await bot.api.getFile({file_id: file.id}, apiSignal(signal))
  if (file_path === undefined || file_path.startsWith("/"))
    throw new Error("the Bot API server stores its files in a local folder: run it without --local")
  return bot.download(file_path, signal)
}

const messageId = (message: string): number => {
  if (/^\d{1,15}$/.test(message)) return Number(message)
  throw refused(`"${message}" is not a Telegram message`, {
    reason: "message_invalid",
    remediation: "Use the message's numeric id.",
  })
}
