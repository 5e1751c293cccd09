import {makePoll} from "../fake/shown.ts"
import {answerOf, chatOf, me, pollIn, shownOf} from "./chats.ts"
import type {Fields} from "./form.ts"
import {type Method, placeOf, refusal, type World, wrong} from "./world.ts"

/** Returns a message in the form of an answer, with those of people. */
export const messageIn = ({sent, said}: World, chat: string, id: string): Fields | undefined => {
  const own = sent.find(each => each.id === id && each.chat === chat)
  const message = own === undefined ? said.get(id) : answerOf(own)
  return String((message?.chat as Fields | undefined)?.id) === chat ? message : undefined
}

const pin: Method = (world, {fields}) => {
  const [chat, id] = [String(fields.chat_id), String(fields.message_id)]
  if (messageIn(world, chat, id) === undefined) return wrong("message to pin not found")
  world.pins.pin(chat, id)
  return {result: true}
}

const unpin: Method = ({pins}, {fields: {chat_id, message_id: id}}) =>
  pins.unpin(String(chat_id), id === undefined ? undefined : String(id))
    ? {result: true}
    : wrong("message to unpin not found")

const sendPoll: Method = (world, form) => {
  const {question, options, is_anonymous, allows_multiple_answers} = form.fields
  const texts = (options as readonly (string | Fields)[]).map(each => (typeof each === "string" ? each : each.text))
  const no = refusal({...form.fields, text: question}, true)
  if (no !== undefined) return no
  if (texts.length < 2) return wrong("poll must have at least 2 option")
  const poll = {...makePoll(question, texts, allows_multiple_answers), isAnonymous: is_anonymous !== false}
  const shown = {...shownOf(world.nextId(), form, {...form.fields, text: question}), poll}
  world.sent.push(shown)
  return {result: answerOf(shown)}
}

const stopPoll: Method = (world, {fields}) => {
  const found = world.sent[placeOf(world, fields)]
  if (found?.poll === undefined || found.poll.isClosed) return wrong("poll can't be stopped")
  found.poll.isClosed = true
  return {result: pollIn(found)}
}

const invite: Method = (world, {fields: {chat_id, name}}) =>
  Number(chat_id) > 0
    ? wrong("can't invite members to a private chat")
    : {result: {invite_link: `https://t.me/+fake${world.nextId()}`, creator: me, is_primary: false, name}}

/** The methods about pins, polls and the chat itself. */
export const chatMethods: Readonly<Record<string, Method>> = {
  sendPoll,
  stopPoll,
  pinChatMessage: pin,
  unpinChatMessage: unpin,
  unpinAllChatMessages: ({pins}, {fields: {chat_id}}) => {
    while (pins.unpin(String(chat_id)));
    return {result: true}
  },
  createChatInviteLink: invite,
  getChat: (world, {fields: {chat_id}}) => {
    if (chat_id === 404) return wrong("chat not found")
    const pinned = world.pins.of(String(chat_id)).at(-1)
    return {result: {...chatOf(chat_id), ...(pinned && {pinned_message: messageIn(world, String(chat_id), pinned)})}}
  },
}
