import {channelType} from "../../../shared/sdk/content/satori.ts"
import {conversationOf, type InboxEvent} from "../../inbox/intake/handling.ts"
import type {OutboxDraft} from "../../outbox/draft.ts"
import {uuid} from "../../runtime/uuid.ts"
import {OnceAMinute} from "./once-a-minute.ts"

export const replyTo = (stored: InboxEvent, text: string): OutboxDraft | undefined => {
  const address = conversationOf(stored)
  return address && {...address, id: uuid(), kind: "message", content: [text]}
}

/** Tells users that the bot failed to reply: to commands and direct messages, at most once a minute in a channel. */
export class FailureNotes {
  readonly #turns: OnceAMinute

  /** `now` returns milliseconds and never goes back. */
  constructor(now: () => number) {
    this.#turns = new OnceAMinute(now)
  }

  /** Returns the message for the user; undefined if nobody asked the bot, or the channel got one within a minute. */
  noteFor(stored: InboxEvent, text: string, isCommand: boolean): OutboxDraft | undefined {
    const {event} = stored
    const isAsked = isCommand || (event.type === "message-created" && event.channel?.type === channelType.direct)
    if (text === "" || !isAsked || event.user?.is_bot === true) return undefined
    const note = replyTo(stored, text.replaceAll("{event}", String(event.sn)))
    if (note === undefined) return undefined
    return this.#turns.take(`${note.endpoint}/${note.channel}`) ? note : undefined
  }
}
