import {until} from "../../../support/host/process.ts"

/** Ann asks, Bob and Cid vote, Eve writes spam. If a channel can have only one writer, that one plays all four. */
export type Who = "ann" | "bob" | "cid" | "eve"

export type Counterpart = "real server" | "fake" | "real Koishi"

/** One platform of the scenario: how people write there, and how they see the bot's messages. */
export interface Place {
  readonly name: string
  readonly counterpart: Counterpart
  readonly env?: Readonly<Record<string, string>>
  /** The entry of `plugins.<adapter>.endpoints`. */
  readonly account: Readonly<Record<string, unknown>>
  /** Whether each person is a separate user in the channel. */
  readonly isShared: boolean
  /** The language that the platform reports for its users. Without one, the bot writes English. */
  readonly language?: string
  say(who: Who, text: string): Promise<unknown> | unknown
  /** The bot's messages on the whole platform, with later edits applied. */
  heard(): Promise<readonly string[]> | readonly string[]
  /** Presses a button of the newest message with buttons. Absent if the platform has no buttons. */
  press?(who: Who, label: string): Promise<unknown> | unknown
  /** The outcome that the bot reports to the moderators. Undefined if moderation does not apply. */
  readonly judged: "deleted, muted" | "deleted, not muted" | "not deleted, not muted" | undefined
  /** Whether the platform has deleted Eve's message and muted Eve, as far as it can. */
  didJudge?(): Promise<boolean> | boolean
}

/** Each line of the bot's messages, with later edits applied. */
export const linesOf = async (place: Place): Promise<readonly string[]> =>
  (await place.heard()).flatMap(text => text.split("\n")).map(line => line.trim())

/** Waits until the bot has written the line at least `times` times. Resolves to the newest one. */
export const sees = async (place: Place, line: RegExp, times = 1): Promise<string> => {
  let last: readonly string[] = []
  const found = await until(`${line} at ${place.name}`, async () => {
    last = await linesOf(place)
    const fitting = last.filter(each => line.test(each))
    return fitting.length >= times && fitting.at(-1)
  }).catch(error => {
    throw new Error(`${error.message}; the bot has said there:\n${last.join("\n")}`)
  })
  return found
}

export const countOf = async (place: Place, line: RegExp): Promise<number> =>
  (await linesOf(place)).filter(each => line.test(each)).length
