import {conversationOf, type InboxEvent} from "../inbox/handling.ts"
import {refusals} from "../inbox/presses.ts"
import {BoundedMap} from "../runtime/bounded-map.ts"
import type {HostText} from "./texts/en.ts"
import type {Say} from "./texts/host-texts.ts"

/** What somebody is told whose press does nothing, by the handler of the press. */
const sentences: Readonly<Record<string, HostText>> = {
  [refusals.gone]: "press.gone",
  [refusals.taken]: "press.taken",
  [refusals.others]: "press.others",
}

/** One user in a channel is told so often at most: in milliseconds. */
const pause = 60_000

/** So many are remembered. */
const mostUsers = 10_000

export const isPressRefusal = (handler: string): boolean => Object.hasOwn(sentences, handler)

/** Tells somebody that a press does nothing: the same sentence once a minute to a user in a channel. */
export class PressRefusals {
  readonly #now: () => number
  readonly #told = new BoundedMap<string, number>(mostUsers)

  /** `now`: in milliseconds, and never going back. */
  constructor(now: () => number) {
    this.#now = now
  }

  /** What the user is told now; undefined where the user was told within the last minute, or nobody can be told. */
  sentenceFor(handler: string, stored: InboxEvent, say: Say): string | undefined {
    const at = conversationOf(stored)
    if (at === undefined) return undefined
    const key = `${handler} ${at.endpoint}/${at.channel}/${stored.event.user?.id ?? ""}`
    const last = this.#told.get(key)
    if (last !== undefined && this.#now() - last < pause) return undefined
    this.#told.set(key, this.#now())
    const sentence = sentences[handler]
    return sentence === undefined ? undefined : say(sentence)
  }
}
