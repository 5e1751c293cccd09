import type {Server} from "node:http"
import {whenOver} from "../host/shared.ts"

/** A message of a person. */
export interface Said {
  readonly text: string
  /** Digits. */
  readonly user?: string
  /** Digits; the user's direct chat unless told. */
  readonly chat?: string
}

/** A message of the bot, as the platform shows it now. */
export interface Sent {
  readonly id: string
  readonly chat: string
  readonly text: string
  readonly edits: number
}

/** What the fakes of platforms have in common, so that one test can ask each of them the same. */
export interface FakePlatform {
  readonly url: string
  /** Messages of people, delivered together. */
  say(...said: readonly Said[]): void
  /** The last message of a person is delivered once more, with its id. */
  repeat(): void
  /** The bot's messages, oldest first. */
  sent(): readonly Sent[]
  /** The next so many sends are refused with 429, and one second to wait. */
  limit(times: number): void
  /** How many sends were refused with 429. */
  limited(): number
  /** While it is true, each send loses its connection without an answer, and is not shown. */
  loseSends(isLost: boolean): void
  /** How many sends have lost their connection so far. */
  lost(): number
  /** How often a bot has polled, or connected. */
  arrivals(): number
}

/** The troubles of a fake: which sends it refuses or loses, and how a test says so. */
export const createTroubles = () => {
  const counts = {limit: 0, limited: 0, lost: 0}
  let isLosing = false
  const controls: Pick<FakePlatform, "limit" | "limited" | "loseSends" | "lost"> = {
    limit: times => {
      counts.limit = times
    },
    limited: () => counts.limited,
    loseSends: isLost => {
      isLosing = isLost
    },
    lost: () => counts.lost,
  }
  return {
    controls,
    /** Is this send refused with 429? */
    refuses: (): boolean => {
      if (counts.limit === 0) return false
      counts.limit--
      counts.limited++
      return true
    },
    /** Is this send lost without an answer? */
    loses: (): boolean => {
      if (isLosing) counts.lost++
      return isLosing
    },
  }
}

/** Listens on a free port of this machine until the test is over; resolves to the port. */
export const listen = async (server: Server): Promise<number> => {
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve))
  whenOver(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the fake has no port")
  return address.port
}
