import {ask} from "./asking.ts"
import type {UnderTest} from "./waiting.ts"

/** A message of a sandbox channel, as it is there now. */
export interface RoomMessage {
  readonly id: string
  readonly from: "user" | "bot"
  /** Plain text. */
  readonly text: string
  /** True once the bot has replaced what it said. */
  readonly edited: boolean
  /** Those of the bot. */
  readonly reactions: readonly string[]
}

/** Something that the bot did in the sandbox. `text` is that of the message it did it to, after it. */
export type Change =
  | {readonly change: "said" | "deleted"; readonly channel: string; readonly text: string}
  | {readonly change: "edited"; readonly channel: string; readonly before: string; readonly text: string}
  | {
      readonly change: "reacted" | "unreacted"
      readonly channel: string
      readonly text: string
      /** Left out where the bot took back all of them. */
      readonly emoji?: string
    }
  | {readonly change: "typing"; readonly channel: string}
  /** What the bot did to the guild, for example "mutes eve for 600 s". */
  | {readonly change: "moderated"; readonly what: string}

/** As the sandbox tells it. */
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

/** What stands in a channel, oldest first; what was deleted is not there. */
export const messages = async ({host}: Pick<UnderTest, "host">, channel: string): Promise<readonly RoomMessage[]> => {
  const path = `${sandbox}/messages?channel=${encodeURIComponent(channel)}`
  const {items} = await ask<{readonly items: readonly RoomMessage[]}>(host, path)
  return items.map(({id, from, text, edited, reactions}) => ({id, from, text, edited, reactions}))
}

/** What the bot does in the sandbox, from one call to the next. */
export class Changes {
  #last = 0

  /** Since the last call, oldest first; of one channel where it is named, and then those of others are left out for good. */
  async since({host}: Pick<UnderTest, "host">, channel?: string): Promise<readonly Change[]> {
    const {items} = await ask<{readonly items: readonly Told[]}>(host, `${sandbox}/changes?after=${this.#last}`)
    this.#last = items.at(-1)?.number ?? this.#last
    return items.filter(told => channel === undefined || told.channel === channel).flatMap(told => changeOf(told) ?? [])
  }
}

/** Undefined for what a user said. */
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
