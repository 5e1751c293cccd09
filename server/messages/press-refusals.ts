import {conversationOf, type InboxEvent} from "../inbox/intake/handling.ts"
import {refusals} from "../inbox/intake/presses.ts"
import {OnceAMinute} from "./session/once-a-minute.ts"
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

/** Tells users that a press does nothing: the same sentence at most once a minute to a user in a channel. */
export class PressRefusals {
  readonly #turns: OnceAMinute

  /** `now` returns milliseconds and never goes back. */
  constructor(now: () => number) {
    this.#turns = new OnceAMinute(now)
  }

  /** Returns the sentence for the user; undefined if there was one within a minute, or without a conversation. */
  sentenceFor(handler: string, stored: InboxEvent, say: Say): string | undefined {
    const at = conversationOf(stored)
    if (at === undefined) return undefined
    const key = `${handler} ${at.endpoint}/${at.channel}/${stored.event.user?.id ?? ""}`
    const sentence = sentences[handler]
    return sentence !== undefined && this.#turns.take(key) ? say(sentence) : undefined
  }
}
