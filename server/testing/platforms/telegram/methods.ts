import {chatMethods} from "./chat-methods.ts"
import {answerOf, me, type Shown, shownOf, userOf} from "./chats.ts"
import type {Fields, Form} from "./form.ts"
import {type Method, placeOf, refusal, wrong} from "./world.ts"

const send =
  (kind?: string): Method =>
  (world, form) => {
    const no = refusal(form.fields, kind === undefined)
    if (no !== undefined) return no
    const shown = shownOf(world.nextId(), form, form.fields, kind)
    world.sent.push(shown)
    return {result: answerOf(shown)}
  }

const sendAlbum: Method = (world, form) => {
  const {media, ...fields} = form.fields
  const items = media as readonly Fields[]
  if (items.length < 2 || items.length > 10) return wrong("wrong number of items in the album")
  const no = refusal({...fields, ...items[0]}, false)
  if (no !== undefined) return no
  const album = String(world.nextId())
  const shown = items.map(item => ({...shownOf(world.nextId(), form, {...fields, ...item}, String(item.type)), album}))
  world.sent.push(...shown)
  return {result: shown.map(answerOf)}
}

const change =
  (to: (found: Shown, form: Form) => Partial<Shown> | string): Method =>
  (world, form) => {
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

const done: Method = () => ({result: true})

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
  ...chatMethods,
  getChatMember: (_, {fields: {user_id}}) => ({result: {user: userOf(user_id), status: "member"}}),
  getChatAdministrators: () => ({result: [{user: userOf(7), status: "creator"}]}),
  banChatMember: done,
  unbanChatMember: done,
  restrictChatMember: done,
  setMyCommands: done,
  sendChatAction: done,
  answerCallbackQuery: done,
  getUserProfilePhotos: () => ({result: {total_count: 0, photos: []}}),
}
