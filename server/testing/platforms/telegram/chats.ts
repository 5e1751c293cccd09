import type {Said, Sent} from "../fake/platform.ts"
import {type Poll, votersOf} from "../fake/shown.ts"
import type {Fields, Form, FormFile} from "./form.ts"

export const me = {
  id: 999,
  is_bot: true,
  first_name: "Bot",
  username: "test_bot",
  can_join_groups: true,
  can_read_all_group_messages: false,
}

/** A message of the bot in its current form on Telegram. */
export interface Shown extends Sent {
  readonly entities: readonly Fields[]
  /** The attachments, by address or by id, for which `bytes` is empty. */
  readonly files: readonly (FormFile & {readonly kind: string})[]
  readonly reactions: readonly string[]
  /** The buttons, in rows. */
  readonly keyboard: readonly (readonly Fields[])[]
  readonly answers?: number
  readonly topic?: number
  readonly album?: string
  readonly poll?: Poll & {readonly isAnonymous: boolean}
  readonly at: number
}

/** Users have positive ids, groups and channels negative ones. */
export const chatOf = (id: unknown): Fields =>
  Number(id) > 0
    ? {id: Number(id), type: "private", first_name: `Chat ${id}`, username: `user${id}`}
    : {id: Number(id), type: "supergroup", title: `Group ${id}`}

export const userOf = (id: unknown): Fields => ({
  id: Number(id),
  is_bot: false,
  first_name: `User ${id}`,
  username: `user${id}`,
})

/** A message of a person. */
export const messageOf = ({text, user = "42", chat = user}: Said, id: number): Fields => ({
  message_id: id,
  date: Math.floor(Date.now() / 1000),
  chat: chatOf(chat),
  from: userOf(user),
  text,
  ...(text.startsWith("/") ? {entities: [{type: "bot_command", offset: 0, length: text.split(" ")[0]?.length}]} : {}),
})

/** The file in a method's field: a part of the form, or the value itself. */
const fileIn = (kind: string, value: unknown, {files}: Form) => {
  const part = files.get(String(value).replace(/^attach:\/\//, ""))
  return part === undefined ? {kind, name: String(value), bytes: Buffer.alloc(0)} : {kind, ...part}
}

const rowsOf = (markup: unknown): readonly (readonly Fields[])[] =>
  (markup as {readonly inline_keyboard?: readonly (readonly Fields[])[]} | undefined)?.inline_keyboard ?? []

/** A new message of the bot, from the fields of the method that sends it. */
export const shownOf = (id: number, form: Form, fields: Fields, kind?: string): Shown => {
  const reply = fields.reply_parameters as {readonly message_id: number} | undefined
  const shows = kind === undefined ? undefined : (fields[kind] ?? fields.media)
  return {
    id: String(id),
    chat: String(fields.chat_id),
    text: String(fields.text ?? fields.caption ?? ""),
    edits: 0,
    entities: (fields.entities ?? fields.caption_entities ?? []) as readonly Fields[],
    files: kind === undefined ? [] : [fileIn(kind, shows, form)],
    reactions: [],
    keyboard: rowsOf(fields.reply_markup),
    at: Date.now(),
    ...(reply === undefined ? {} : {answers: reply.message_id}),
    ...(fields.message_thread_id === undefined ? {} : {topic: Number(fields.message_thread_id)}),
  }
}

/** The message in the form of the methods' answers. */
export const answerOf = (shown: Shown): Fields => {
  const {id, chat, text, files} = shown
  const [file] = files
  const content = file === undefined ? {text} : {caption: text, [file.kind]: {file_id: file.name}}
  const poll = pollIn(shown)
  return {message_id: Number(id), date: 1, chat: chatOf(chat), from: me, ...(poll === undefined ? content : {poll})}
}

/** The poll of a message with its votes. */
export const pollIn = ({id, poll}: Shown): Fields | undefined =>
  poll && {
    id,
    question: poll.question,
    options: poll.options.map((text, n) => ({text, voter_count: votersOf(poll, n).length})),
    total_voter_count: poll.votes.size,
    is_closed: poll.isClosed,
    is_anonymous: poll.isAnonymous,
    type: "regular",
    allows_multiple_answers: poll.isMultiple,
  }
