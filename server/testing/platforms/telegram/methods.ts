import {answerOf, chatOf, me, type Shown, shownOf, userOf} from "./chats.ts"
import type {Fields, Form, FormFile} from "./form.ts"
import type {Updates} from "./updates.ts"

/** A method's answer: a result, or an error of the Bot API. */
export type Answer =
  | {readonly result: unknown}
  | {
      readonly code: number
      readonly description: string
      readonly parameters?: {readonly retry_after?: number; readonly migrate_to_chat_id?: number}
    }

/** The state of the fake. */
export interface World {
  readonly updates: Updates
  readonly sent: Shown[]
  /** People's files, by id. */
  readonly files: Map<string, FormFile>
  /** The calls of methods without any other trace, in order. */
  readonly calls: {readonly method: string; readonly fields: Fields}[]
  /** Users who have blocked the bot, and groups that have become supergroups. */
  readonly blocked: Set<string>
  readonly moved: Map<string, number>
  /** How many seconds the next send must wait; each value applies once. */
  refuses(): number | undefined
  nextId(): number
}

const longest = {text: 4096, caption: 1024} as const
const wrong = (description: string): Answer => ({code: 400, description: `Bad Request: ${description}`})

/** Why a chat accepts no message. */
const whyNot = ({blocked, moved}: World, chat: string): Answer | undefined => {
  const to = moved.get(chat)
  if (to !== undefined)
    return {
      code: 400,
      description: "Bad Request: group chat was upgraded to a supergroup chat",
      parameters: {migrate_to_chat_id: to},
    }
  return blocked.has(chat) ? {code: 403, description: "Forbidden: bot was blocked by the user"} : undefined
}

const refusal = (world: World, {chat_id, text, caption}: Fields, isText: boolean): Answer | undefined => {
  const not = whyNot(world, String(chat_id))
  if (not !== undefined) return not
  if (isText && String(text ?? "").trim() === "") return wrong("message text is empty")
  if (String(text ?? "").length > longest.text) return wrong("message is too long")
  if (String(caption ?? "").length > longest.caption) return wrong("message caption is too long")
  const wait = world.refuses()
  if (wait === undefined) return undefined
  return {code: 429, description: `Too Many Requests: retry after ${wait}`, parameters: {retry_after: wait}}
}

type Method = (world: World, form: Form) => Answer | Promise<Answer>

const send =
  (kind?: string): Method =>
  (world, form) => {
    const no = refusal(world, form.fields, kind === undefined)
    if (no !== undefined) return no
    const shown = shownOf(world.nextId(), form, form.fields, kind)
    world.sent.push(shown)
    return {result: answerOf(shown)}
  }

const sendAlbum: Method = (world, form) => {
  const {media, ...fields} = form.fields
  const items = media as readonly Fields[]
  if (items.length < 2 || items.length > 10) return wrong("wrong number of items in the album")
  const no = refusal(world, {...fields, ...items[0]}, false)
  if (no !== undefined) return no
  const album = String(world.nextId())
  const shown = items.map(item => ({...shownOf(world.nextId(), form, {...fields, ...item}, String(item.type)), album}))
  world.sent.push(...shown)
  return {result: shown.map(answerOf)}
}

const placeOf = ({sent}: World, {chat_id, message_id}: Fields): number =>
  sent.findIndex(({id, chat}) => id === String(message_id) && chat === String(chat_id))

/** Changes a message of the bot. */
const change =
  (to: (found: Shown, form: Form) => Partial<Shown> | string): Method =>
  (world, form) => {
    const not = whyNot(world, String(form.fields.chat_id))
    if (not !== undefined) return not
    const place = placeOf(world, form.fields)
    const found = world.sent[place]
    if (found === undefined) return wrong("message to edit not found")
    const {keyboard} = shownOf(0, form, form.fields)
    const changed = to(found, form)
    if (typeof changed === "string") return wrong(changed)
    const next = {...found, ...changed, keyboard}
    if (JSON.stringify(next) === JSON.stringify(found)) return wrong("message is not modified")
    world.sent[place] = {...next, edits: found.edits + 1}
    return {result: answerOf(next)}
  }

const textOf = ({fields}: Form): Pick<Shown, "text" | "entities"> => {
  const {text, entities} = shownOf(0, {fields, files: new Map()}, fields)
  return {text, entities}
}

const remove: Method = (world, {fields}) => {
  const place = placeOf(world, fields)
  if (place < 0) return wrong("message to delete not found")
  world.sent.splice(place, 1)
  return {result: true}
}

const react: Method = (world, {fields}) => {
  const place = placeOf(world, fields)
  const found = world.sent[place]
  const reactions = (fields.reaction as readonly Fields[]).map(({emoji, custom_emoji_id}) =>
    String(emoji ?? custom_emoji_id),
  )
  if (reactions.includes("🫥")) return wrong("REACTION_INVALID")
  if (found !== undefined) world.sent[place] = {...found, reactions}
  world.calls.push({method: "setMessageReaction", fields})
  return {result: true}
}

const poll: Method = async ({updates}, {fields: {offset = 0, timeout = 0, allowed_updates}}) => {
  if (updates.webhook !== "")
    return {
      code: 409,
      description:
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
    }
  updates.allow(allowed_updates)
  const result = await updates.poll(Number(offset), Number(timeout))
  return result === undefined
    ? {
        code: 409,
        description:
          "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
      }
    : {result}
}

const setWebhook: Method = ({updates}, {fields: {url = "", secret_token = "", allowed_updates}}) => {
  updates.allow(allowed_updates)
  updates.setWebhook(String(url), String(secret_token))
  return {result: true}
}

const getFile: Method = ({files}, {fields: {file_id}}) => {
  const id = String(file_id)
  const file = files.get(id)
  if (file === undefined) return wrong("invalid file_id")
  return {result: {file_id: id, file_size: file.bytes.length, file_path: `documents/${id}`}}
}

/** Answers true, and records the call. */
const note =
  (method: string): Method =>
  ({calls}, {fields}) => {
    calls.push({method, fields})
    return {result: true}
  }

export const methods: Readonly<Record<string, Method>> = {
  getMe: () => ({result: me}),
  getUpdates: poll,
  setWebhook,
  deleteWebhook: ({updates}) => {
    updates.setWebhook("", "")
    return {result: true}
  },
  getWebhookInfo: ({updates}) => ({
    result: {url: updates.webhook, pending_update_count: updates.waiting.length, allowed_updates: updates.allowed},
  }),
  sendMessage: send(),
  sendPhoto: send("photo"),
  sendAnimation: send("animation"),
  sendVideo: send("video"),
  sendAudio: send("audio"),
  sendVoice: send("voice"),
  sendDocument: send("document"),
  sendSticker: send("sticker"),
  sendMediaGroup: sendAlbum,
  editMessageText: change(({files}, form) =>
    files.length > 0 ? "there is no text in the message to edit" : textOf(form),
  ),
  editMessageCaption: change((_, form) => textOf(form)),
  editMessageMedia: change((_, form) => {
    const media = form.fields.media as Fields
    const {text, entities, files} = shownOf(0, form, media, String(media.type))
    return {text, entities, files}
  }),
  deleteMessage: remove,
  setMessageReaction: react,
  getFile,
  getChat: (_, {fields: {chat_id}}) => (chat_id === 404 ? wrong("chat not found") : {result: chatOf(chat_id)}),
  getChatMember: (_, {fields: {user_id}}) => ({result: {user: userOf(user_id), status: "member"}}),
  banChatMember: note("banChatMember"),
  unbanChatMember: note("unbanChatMember"),
  restrictChatMember: note("restrictChatMember"),
  setMyCommands: note("setMyCommands"),
  sendChatAction: note("sendChatAction"),
  answerCallbackQuery: note("answerCallbackQuery"),
  getUserProfilePhotos: () => ({result: {total_count: 0, photos: []}}),
}
