import {until} from "../../../support/host/process.ts"

/** Ann asks, Bob and Cid vote, Eve writes what is not wanted. On a platform where a channel has one writer, all of them are that one. */
export type Who = "ann" | "bob" | "cid" | "eve"

/** What stands behind an endpoint. */
export type Counterpart = "real server" | "fake" | "real Koishi"

/** A platform of the scenario: how people say something there, and how they see what the bot says. */
export interface Place {
  /** The endpoint. */
  readonly name: string
  readonly counterpart: Counterpart
  readonly env?: Readonly<Record<string, string>>
  /** The entry of `plugins.<adapter>.endpoints`. */
  readonly account: Readonly<Record<string, unknown>>
  /** Is each person a writer of their own in the channel? */
  readonly isShared: boolean
  /** What the platform says of its people's language; English where it says nothing. */
  readonly language?: string
  say(who: Who, text: string): Promise<unknown> | unknown
  /** What the bot has said so far, everywhere on the platform, as it stands there now. */
  heard(): Promise<readonly string[]> | readonly string[]
  /** Presses a button of the newest message with buttons; not there where the platform has none. */
  press?(who: Who, label: string): Promise<unknown> | unknown
  /** What moderation does there: as the bot tells the moderators, or undefined where it has nothing to do. */
  readonly judged: "deleted, muted" | "deleted, not muted" | "not deleted, not muted" | undefined
  /** Has the platform carried out what was done to Eve's message and to Eve? */
  didJudge?(): Promise<boolean> | boolean
}

/** Each line that the bot has said there, as it stands now. */
export const linesOf = async (place: Place): Promise<readonly string[]> =>
  (await place.heard()).flatMap(text => text.split("\n")).map(line => line.trim())

/** Waits for a line of the bot. */
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
