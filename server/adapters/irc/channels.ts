import {setTimeout as sleep} from "node:timers/promises"
import type {Client} from "irc-framework"
import {type Backoff, type Endpoint, pauseAfter} from "../../../shared/sdk/sdk.ts"
import type {AccountSettings} from "./account.ts"
import {answered} from "./send.ts"

/** When a channel that does not let the bot in is joined again. */
const joinAgain: Backoff = {first: 5000, longest: 300_000}

/**
 * Resolves once the server has dealt with every JOIN: before that the bot misses messages there, so it is not online.
 * The bot gets no messages of a channel that does not let it in, or that it was put out of: the log says so, and the
 * channel is joined again until it is in. Why it was not let in is in the log.
 */
export const joinChannels = async (client: Client, account: AccountSettings, endpoint: Endpoint): Promise<void> => {
  const channels = (account.channels ?? [])
    .map(entry => new Channel(client, endpoint, entry))
    .filter(({name}, place, all) => all.findIndex(other => client.caseCompare(other.name, name)) === place)
  const at = (name: string) => channels.find(channel => client.caseCompare(channel.name, name))
  const isOurs = (nick: string) => client.caseCompare(nick, client.user.nick)
  client.on("join", ({nick, channel}: {nick: string; channel: string}) => {
    if (isOurs(nick)) at(channel)?.entered()
  })
  client.on("kick", ({kicked, channel, nick}: {kicked: string; channel: string; nick: string}) => {
    if (!isOurs(kicked)) return
    const why = `kicked from ${channel} by ${nick}`
    const found = at(channel)
    if (found === undefined) endpoint.log.warn(why)
    else found.left(why)
  })
  // The bot leaves none by itself, so a PART of its own is another's doing: an operator's SAPART or REMOVE.
  client.on("part", ({nick, channel}: {nick: string; channel: string}) => {
    if (isOurs(nick)) at(channel)?.left(`removed from ${channel}`)
  })
  client.on("irc error", ({channel, reason, error}: {channel?: string; reason?: string; error?: string}) => {
    if (channel !== undefined) endpoint.log.warn(`${channel}: ${reason ?? error}`)
  })
  for (const channel of channels) channel.join()
  if (channels.length > 0) await answered(client, "svc-joined", endpoint.signal)
  for (const channel of channels) if (!channel.isIn) channel.left(`could not enter ${channel.name}`)
}

/** A channel that the bot is to be in, for one connection. */
class Channel {
  readonly name: string
  readonly #key: string | undefined
  readonly #client: Client
  readonly #endpoint: Endpoint
  #isIn = false
  #isJoining = false
  /** Ends what is missed while the bot is not in. */
  #found: (() => void) | undefined

  constructor(client: Client, endpoint: Endpoint, entry: string) {
    const [name = "", key] = entry.split(" ")
    this.name = name
    this.#key = key
    this.#client = client
    this.#endpoint = endpoint
  }

  get isIn(): boolean {
    return this.#isIn
  }

  join(): void {
    this.#client.join(this.name, this.#key)
  }

  entered(): void {
    this.#isIn = true
    this.#found?.()
    this.#found = undefined
  }

  left(why: string): void {
    this.#endpoint.log.warn(`${why}; rejoining`)
    this.#isIn = false
    this.#found ??= this.#endpoint.missing()
    if (this.#isJoining) return
    this.#isJoining = true
    // What ends it early is the end of the connection.
    void this.#joinAgain().catch(() => {})
  }

  async #joinAgain(): Promise<void> {
    const {signal} = this.#endpoint
    for (let attempts = 1; !this.#isIn; attempts++) {
      await sleep(pauseAfter(attempts, joinAgain), undefined, {signal})
      this.join()
      await answered(this.#client, `svc-joined-${this.name}`, signal)
    }
    this.#isJoining = false
  }
}
