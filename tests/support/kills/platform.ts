import type {Stay} from "../irc/chatter.ts"
import type {Arrival} from "../messages/gaps.ts"

/** A message of the bot in its current form on the platform. */
export interface Shown {
  readonly text: string
  /** Identifies repetitions: of two messages with the same id, a receiver shows one. */
  readonly id?: string
  /** The text of the quoted message. */
  readonly quotes?: string
}

/** The latency of a fake's answers, in milliseconds: a kill must be able to interrupt one. */
export const latency = 60

/** A platform in a kill loop: one person sends numbered texts to the Host's only endpoint. */
export interface KillPlatform {
  /** The name in `endpoint`: `<name>~one`. */
  readonly name: string
  /** The entry of `plugins.<name>.endpoints`. */
  readonly account: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, string>>
  /** The platform delivers messages later that were sent while the Host was offline. */
  readonly replays: boolean
  /** The platform drops a repeated message, however late, so that no message is ever `unknown`. */
  readonly dropsRepeats: boolean
  /** A repeated message is recognized by its id: every shown message has one. */
  readonly tellsRepeats: boolean
  /** The platform has a history that fills the gaps. */
  readonly hasHistory: boolean
  /** The platform supports edits, deletions and reactions. */
  readonly takesActs: boolean
  /** The person's texts so far, in order, each with the time before it was sent, in milliseconds since 1970. */
  readonly said: ReadonlyMap<string, number>
  /** The texts that the platform has accepted, and the time by which it had. */
  readonly taken: ReadonlyMap<string, number>
  /** When each text reached the platform. */
  arrivals(): readonly (Arrival & {readonly line: string})[]
  /** The texts of each stay of the bot, on platforms that show stays. */
  stays?(): readonly Stay[]
  say(text: string): Promise<void>
  /** Must be called before a Host is launched: earlier connections have ended. */
  launching(): void
  /** Whether the newest Host has a connection. */
  isConnected(): boolean
  /** Whether the newest Host is connecting and the platform has not accepted it yet. */
  isConnecting(): boolean
  /** The time from which the newest Host receives messages, unless that is the very start. */
  hearsSince?(): number
  /** Makes the platform forget the bot's session. For use while no Host runs. */
  forget?(): void
  /** The bot's messages that it has not deleted, oldest first. */
  shown(): Promise<readonly Shown[]>
  /** The number of requests that the platform dropped because they repeated an id. */
  dropped?(): number
  /** The texts with a reaction of the bot, each as often as the platform shows one. */
  liked(): Promise<readonly string[]>
}

/** Records the texts of a platform, each before it is sent. */
export const noting = (say: (text: string, n: number) => void | Promise<void>) => {
  const said = new Map<string, number>()
  const taken = new Map<string, number>()
  return {
    said,
    taken,
    arrivals: () => [...said].map(([line, from]) => ({line, from, to: taken.get(line) ?? from})),
    say: async (text: string) => {
      said.set(text, Date.now())
      await say(text, said.size)
      taken.set(text, Date.now())
    },
  }
}
