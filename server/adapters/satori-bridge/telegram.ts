import {type Log, refused} from "../../../shared/sdk/sdk.ts"
import {type Fields, fieldsOf, listOf, numberIn, textIn} from "../satori/fields.ts"
import {isUnanswered} from "./failures.ts"
import type {Bot} from "./koishi.ts"
import type {Stock} from "./stock.ts"

/** The scheme of the addresses of Telegram's files. */
export const fileScheme = "telegram:"

export const isTelegram = ({name}: Pick<Stock, "name">): boolean => name === "@satorijs/adapter-telegram"

/**
 * How long Telegram keeps unconfirmed updates, in milliseconds (https://core.telegram.org/bots/api#getting-updates).
 */
export const keepsFor = 24 * 60 * 60 * 1000

interface TelegramBot extends Bot {
  readonly file: (path: string, options: Fields) => Promise<{readonly data: ReadableStream<Uint8Array>}>
  $getFileFromId(id: string): Promise<Fields>
  $getFileFromPath(path: string, extra?: Fields): Promise<Fields>
  setAvatarUrl(user: unknown): Promise<void>
}

export interface Gate {
  /** Resolves once events may be stored. */
  readonly opened: Promise<void>
  /** Resolves once all dispatched events are stored. */
  readonly stored: () => Promise<void>
  readonly lost: (error: unknown) => void
  readonly log: Log
}

/**
 * Adds a gate to the polling of `@satorijs/adapter-telegram` 4.5, so that it confirms an update only once it is stored.
 * The original drops pending updates when it connects, and confirms updates before it has handled them. Files are
 * loaded only when somebody opens them.
 */
export const gateTelegram = (bot: Bot, {exports, veil}: Stock, {opened, stored, lost, log}: Gate): void => {
  const telegram = bot as TelegramBot
  const {internal} = telegram
  const handleUpdate = exports.handleUpdate as (update: unknown, bot: Bot) => Promise<void>
  const {getUpdates: poll, answerCallbackQuery: answerPress} = internal
  if (poll === undefined || typeof handleUpdate !== "function")
    throw refused("svc does not know this version of the Telegram adapter", {
      reason: "package",
      remediation: "Install @satorijs/adapter-telegram 4.5.11, or use the built-in adapter telegram.",
    })
  lookUpFiles(telegram)
  // The avatar's address would contain the token.
  telegram.setAvatarUrl = async () => {}
  // Telegram rejects the answer to a press that is some seconds old. The press still counts.
  internal.answerCallbackQuery = async params =>
    answerPress
      ?.call(internal, params)
      .catch(error => log.debug(`could not answer a button press: ${veil.reason(error)}`))
  const handle = async (update: unknown) => {
    try {
      await handleUpdate(update, bot)
    } catch (error) {
      if (isUnanswered(error)) throw error
      const id = textIn(fieldsOf(update), "update_id")
      log.warn(`the adapter could not read update ${id} from Telegram; dropped it: ${veil.reason(error)}`)
    }
  }
  let offset = 0
  internal.getUpdates = async params => {
    // At the start the adapter requests all pending updates in order to skip them.
    if (params.offset === undefined) return []
    await opened
    try {
      const updates = listOf(await poll.call(internal, {...params, offset}))
      for (const group of albumsOf(updates)) await Promise.all(group.map(handle))
      await stored()
      for (const update of updates) offset = Math.max(offset, (numberIn(fieldsOf(update), "update_id") ?? 0) + 1)
    } catch (error) {
      lost(error)
      throw error
    }
    return []
  }
}

/**
 * Looks up files: a file is its path at Telegram and its size. A file that bots cannot read is an element without an
 * address.
 */
const lookUpFiles = (bot: TelegramBot): void => {
  bot.$getFileFromPath = async (path, extra) => ({...extra, src: `${fileScheme}/${path}`})
  bot.$getFileFromId = async id => {
    try {
      const file = fieldsOf(await bot.internal.getFile?.({file_id: id}))
      return await bot.$getFileFromPath(String(file.file_path), {size: numberIn(file, "file_size")})
    } catch (error) {
      if (isUnanswered(error)) throw error
      return {}
    }
  }
}

export const openTelegramFile = async (bot: Bot, link: string): Promise<Response> => {
  const {data} = await (bot as TelegramBot).file(link.slice(fileScheme.length), {method: "GET", responseType: "stream"})
  return new Response(data)
}

/**
 * Groups updates. Messages of an album are handled together, because the adapter waits for the last of them. All others
 * are handled one by one.
 */
export const albumsOf = (updates: readonly unknown[]): readonly (readonly unknown[])[] => {
  const groups: unknown[][] = []
  let last: string | undefined
  for (const update of updates) {
    const album = textIn(fieldsOf(fieldsOf(update).message), "media_group_id")
    if (album !== undefined && album === last) groups.at(-1)?.push(update)
    else groups.push([update])
    last = album
  }
  return groups
}
