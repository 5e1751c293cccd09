import {conversationOf, type InboxEvent} from "../inbox/intake/handling.ts"
import {refusals} from "../inbox/intake/presses.ts"
import type {OnceAMinute} from "./session/once-a-minute.ts"
import type {Say} from "./texts/host-texts.ts"
import type {HostText} from "./texts/tables.ts"

/** The reply to a press that does nothing, by the handler of the press. */
const sentences: Readonly<Record<string, HostText>> = {
  [refusals.gone]: "press.gone",
  [refusals.taken]: "press.taken",
  [refusals.others]: "press.others",
  [refusals.elsewhere]: "press.elsewhere",
}

export const isPressRefusal = (handler: string): boolean => Object.hasOwn(sentences, handler)

/**
 * Returns the sentence that tells a user that a press does nothing; undefined if the user got it in the channel within a
 * minute, or without a conversation.
 */
export const refusePress = (turns: OnceAMinute, handler: string, stored: InboxEvent, say: Say): string | undefined => {
  const at = conversationOf(stored)
  const sentence = sentences[handler]
  if (at === undefined || sentence === undefined) return undefined
  return turns.take(`${handler} ${at.endpoint}/${at.channel}/${stored.event.user?.id ?? ""}`)
    ? say(sentence)
    : undefined
}
