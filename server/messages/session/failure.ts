import {channelType} from "../../../shared/sdk/content/satori.ts"
import {conversationOf, type InboxEvent} from "../../inbox/intake/handling.ts"
import type {OutboxDraft} from "../../outbox/draft.ts"
import {uuid} from "../../runtime/uuid.ts"
import type {OnceAMinute} from "./once-a-minute.ts"

export const replyTo = (stored: InboxEvent, text: string): OutboxDraft | undefined => {
  const address = conversationOf(stored)
  return address && {...address, id: uuid(), kind: "message", content: [text]}
}

/** Returns the message for a user whose command or direct message failed: once a minute in a channel at most. */
export const failureNote = (
  turns: OnceAMinute,
  stored: InboxEvent,
  text: string,
  isCommand: boolean,
): OutboxDraft | undefined => {
  const {event} = stored
  const isAsked = isCommand || (event.type === "message-created" && event.channel?.type === channelType.direct)
  if (text === "" || !isAsked || event.user?.is_bot === true) return undefined
  const note = replyTo(stored, text.replaceAll("{event}", String(event.sn)))
  return note !== undefined && turns.take(`failure ${note.endpoint}/${note.channel}`) ? note : undefined
}
