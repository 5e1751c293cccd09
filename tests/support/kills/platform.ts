import type {Stay} from "../irc/chatter.ts"
import type {Arrival} from "../messages/gaps.ts"

/** A message of the bot, as its platform shows it now. */
export interface Shown {
  readonly text: string
  /** What tells a repetition apart: of two messages with the same, a receiver shows one. */
  readonly id?: string
  /** The text of the message that it quotes. */
  readonly quotes?: string
}

/** How long a fake's answers are on their way, in milliseconds: the kill that cuts one off must be able to meet it. */
export const latency = 60

/** A platform in a kill loop: one person says numbered texts to the one endpoint of the Host. */
export interface KillPlatform {
  /** As in `endpoint`: `<name>~one`. */
  readonly name: string
  /** The entry of `plugins.<name>.endpoints`. */
  readonly account: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, string>>
  /** It delivers later what was said while the Host was away. */
  readonly replays: boolean
  /** It drops a message that comes again, however late: none is ever `unknown`. */
  readonly dropsRepeats: boolean
  /** A message that was sent twice is known by its id: each message that is shown has one. */
  readonly tellsRepeats: boolean
  /** Its history, where it has one, fills the gaps. */
  readonly hasHistory: boolean
  /** It takes edits, deletions and reactions. */
  readonly takesActs: boolean
  /** All that the person has said so far, in order, and when it was about to be said, in milliseconds since 1970. */
  readonly said: ReadonlyMap<string, number>
  /** What of it the platform has taken, and by when. */
  readonly taken: ReadonlyMap<string, number>
  /** When all that was said reached the platform. */
  arrivals(): readonly (Arrival & {readonly line: string})[]
  /** What was said while the bot was there, each time, where the platform shows that. */
  stays?(): readonly Stay[]
  /** Resolves once the platform has taken it. */
  say(text: string): Promise<void>
  /** A Host is about to be launched: the connections of before are over. */
  launching(): void
  /** The Host that was launched last has a connection now. */
  isConnected(): boolean
  /** It has one, and the platform has not let it in yet. */
  isConnecting(): boolean
  /** Since when the Host that was launched last is told what is said, where that is not from the start of all. */
  hearsSince?(): number
  /** While no Host runs: the platform forgets the bot's session. */
  forget?(): void
  /** What the bot has said and not taken back, oldest first. */
  shown(): Promise<readonly Shown[]>
  /** Requests that came again under the id of one before, and that the platform has dropped. */
  dropped?(): number
  /** The texts that the bot has reacted to, each as often as the platform shows it. */
  liked(): Promise<readonly string[]>
}

/** What is said on a platform, noted before it is said. */
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
