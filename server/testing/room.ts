import {ask} from "./asking.ts"
import type {UnderTest} from "./waiting.ts"

/** A current message of a sandbox channel. */
export interface RoomMessage {
  readonly id: string
  readonly from: "user" | "bot"
  /** Plain text. */
  readonly text: string
  /** True once the bot has edited it. */
  readonly edited: boolean
  /** The bot's reactions. */
  readonly reactions: readonly string[]
}

/** Something that the bot did in the sandbox. `text` is the text of the affected message, after the change. */
export type Change =
  | {readonly change: "said" | "deleted"; readonly channel: string; readonly text: string}
  | {readonly change: "edited"; readonly channel: string; readonly before: string; readonly text: string}
  | {
      readonly change: "reacted" | "unreacted"
      readonly channel: string
      readonly text: string
      /** Left out if the bot removed all of its reactions. */
      readonly emoji?: string
    }
  | {readonly change: "typing"; readonly channel: string}
  /** A moderation of the guild, for example "mutes eve for 600 s". */
  | {readonly change: "moderated"; readonly what: string}

/** A change as the sandbox reports it. */
interface Told {
  readonly number: number
  readonly change: Change["change"]
  readonly channel?: string
  readonly message?: {readonly from: "user" | "bot"; readonly text: string}
  readonly before?: string
  readonly emoji?: string
  readonly what?: string
}

const sandbox = "/api/plugins/sandbox"

/** @internal Returns the current messages of a channel, oldest first, without deleted ones. */
export const messages = async ({host}: Pick<UnderTest, "host">, channel: string): Promise<readonly RoomMessage[]> => {
  const path = `${sandbox}/messages?channel=${encodeURIComponent(channel)}`
  const {items} = await ask<{readonly items: readonly RoomMessage[]}>(host, path)
  return items.map(({id, from, text, edited, reactions}) => ({id, from, text, edited, reactions}))
}

/** @internal The bot's changes in the sandbox, from one call to the next. */
export class Changes {
  #last = 0

  /** Returns the changes since the last call, oldest first. With a channel, only its changes; others are dropped. */
  async since({host}: Pick<UnderTest, "host">, channel?: string): Promise<readonly Change[]> {
    const {items} = await ask<{readonly items: readonly Told[]}>(host, `${sandbox}/changes?after=${this.#last}`)
    this.#last = items.at(-1)?.number ?? this.#last
    return items.filter(told => channel === undefined || told.channel === channel).flatMap(told => changeOf(told) ?? [])
  }
}

/** Undefined for a message of a user. */
const changeOf = ({change, channel = "", message, before = "", emoji, what = ""}: Told): Change | undefined => {
  const text = message?.text ?? ""
  switch (change) {
    case "said":
      return message?.from === "bot" ? {change, channel, text} : undefined
    case "deleted":
      return {change, channel, text}
    case "edited":
      return {change, channel, before, text}
    case "reacted":
    case "unreacted":
      return {change, channel, text, ...(emoji === undefined ? {} : {emoji})}
    case "typing":
      return {change, channel}
    case "moderated":
      return {change, what}
  }
}
