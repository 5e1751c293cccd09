import {setTimeout as sleep} from "node:timers/promises"
import type {Client} from "irc-framework"
import {type Backoff, type Endpoint, pauseAfter} from "../../../shared/sdk/sdk.ts"
import type {AccountSettings} from "./account.ts"
import {answered} from "./send.ts"

/** The pauses before the bot rejoins a channel that does not let it in. */
const joinAgain: Backoff = {first: 5000, longest: 300_000}

/**
 * Resolves once the server has processed every JOIN: until then the bot misses messages, so it is not online. A channel
 * may reject the bot, or remove it later. The adapter then logs the reason, and retries until the bot is in the
 * channel.
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
  // The bot never leaves a channel on its own, so a PART of the bot comes from an operator's SAPART or REMOVE.
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

/** A channel to join, for one connection. */
class Channel {
  readonly name: string
  readonly #key: string | undefined
  readonly #client: Client
  readonly #endpoint: Endpoint
  #isIn = false
  #isJoining = false
  /** Ends the gap once the bot is in the channel. */
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
    this.#endpoint.unreadable(this.name)
  }

  left(why: string): void {
    this.#endpoint.unreadable(this.name, {why: `${why}; rejoining`, remediation: "Let the bot in."})
    this.#isIn = false
    this.#found ??= this.#endpoint.missing()
    if (this.#isJoining) return
    this.#isJoining = true
    // Only the end of the connection ends it early.
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
