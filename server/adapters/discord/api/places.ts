import {type Channel, channelType} from "../../../../shared/sdk/sdk.ts"
import {idIn, numberIn, type Payload, payloadsOf, textIn} from "./payload.ts"

/** Types of channels with a counterpart in Satori (Discord: Channel Object). The others contain text. */
const types: Readonly<Record<number, number>> = {
  1: channelType.direct,
  2: channelType.voice,
  4: channelType.category,
  13: channelType.voice,
}

/** Returns the channel for Satori; undefined if the payload has no id. */
export const channelOf = (channel: Payload): Channel | undefined => {
  const id = idIn(channel)
  if (id === undefined) return undefined
  const name = textIn(channel, "name")
  return {id, type: types[numberIn(channel, "type") ?? 0] ?? channelType.text, ...(name === undefined ? {} : {name})}
}

/** How many of the newest names are kept. */
const most = 10_000

/** Names of guilds and channels from the gateway, because message events do not include them. */
export class Places {
  readonly #guilds = new Map<string, string>()
  readonly #channels = new Map<string, Channel>()
  /** Guilds that the bot was in when its session started: GUILD_CREATE for these is not a new guild. */
  readonly #old = new Set<string>()

  began(ready: Payload): void {
    this.#old.clear()
    for (const guild of payloadsOf(ready.guilds)) {
      const id = idIn(guild)
      if (id !== undefined) this.#old.add(id)
    }
  }

  /** Stores a guild with its channels and threads, from GUILD_CREATE. Returns whether the bot has just joined it. */
  learnGuild(guild: Payload): boolean {
    const [id, name] = [idIn(guild), textIn(guild, "name")]
    if (id !== undefined && name !== undefined) keep(this.#guilds, id, name)
    for (const channel of [...payloadsOf(guild.channels), ...payloadsOf(guild.threads)]) this.learnChannel(channel)
    if (id === undefined || this.#old.has(id)) return false
    this.#old.add(id)
    return true
  }

  leaveGuild(id: string): void {
    this.#old.delete(id)
    this.#guilds.delete(id)
  }

  learnChannel(channel: Payload): void {
    const known = channelOf(channel)
    if (known !== undefined) keep(this.#channels, known.id, known)
  }

  readonly channelName = (id: string): string | undefined => this.#channels.get(id)?.name

  /** Returns the place of an event in a channel. An event without a guild belongs to a direct channel. */
  placeOf(event: Payload): {
    readonly channel?: Channel
    readonly guild?: {readonly id: string; readonly name?: string}
  } {
    const [id, guild] = [idIn(event, "channel_id"), idIn(event, "guild_id")]
    const usual = guild === undefined ? channelType.direct : channelType.text
    return {
      ...(id === undefined ? {} : {channel: this.#channels.get(id) ?? {id, type: usual}}),
      ...(guild === undefined ? {} : {guild: this.guildOf(guild)}),
    }
  }

  guildOf(id: string): {readonly id: string; readonly name?: string} {
    const name = this.#guilds.get(id)
    return {id, ...(name === undefined ? {} : {name})}
  }
}

const keep = <T>(known: Map<string, T>, id: string, value: T): void => {
  known.delete(id)
  known.set(id, value)
  const [oldest] = known.keys()
  if (known.size > most && oldest !== undefined) known.delete(oldest)
}
