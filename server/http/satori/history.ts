import {fromJson} from "../../../shared/json.ts"
import {type Channel, channelType, type Message, type SatoriEvent} from "../../../shared/sdk/content/satori.ts"
import type {Database} from "../../database/database.ts"
import {findNewest, readById} from "../../inbox/look-ups.ts"
import type {MessageRef} from "../../outbox/draft.ts"
import {findMessage} from "../../outbox/look-ups.ts"
import {withFileLinks} from "./protocol/events.ts"
import type {LoginOf} from "./protocol/frame.ts"

export type Outcome =
  | {readonly is: "done"; readonly ids: readonly string[]}
  | {readonly is: "failed"; readonly why: string}

/** Reads one endpoint's channels, users and messages from the inbox and the outbox. */
export class History {
  readonly #database: Database
  readonly #loginOf: LoginOf

  constructor(database: Database, loginOf: LoginOf) {
    this.#database = database
    this.#loginOf = loginOf
  }

  /** Returns a channel, a user or a guild as its newest event has it. */
  async seen<W extends "channel" | "user" | "guild">(
    what: W,
    endpoint: string,
    id: string,
  ): Promise<SatoriEvent[W] | undefined> {
    const wanted = {
      channel: {conversation: `${endpoint}/${id}`},
      user: {endpoint, user: id},
      guild: {endpoint, guild: id},
    }
    return (await findNewest(this.#database, wanted[what]))?.event[what]
  }

  async directChannel(endpoint: string, user: string): Promise<Channel | undefined> {
    return (await findNewest(this.#database, {endpoint, user, channelType: channelType.direct}))?.event.channel
  }

  async received(endpoint: string, channel: string, id: string): Promise<(Message & Partial<SatoriEvent>) | undefined> {
    const byEvent = await readById(this.#database, endpoint, id)
    const isIt = byEvent?.event.message?.id === id && byEvent.event.channel?.id === channel
    // A platform may number messages by channel.
    const kept = isIt
      ? byEvent
      : await findNewest(this.#database, {endpoint, channel, message: id, type: "message-created"})
    if (kept === undefined) return undefined
    const {message, channel: place, user, guild, timestamp, login} = kept.event
    if (message === undefined || place === undefined) return undefined
    const content = withFileLinks(message.content, this.#loginOf(endpoint, login), kept.seq)
    return {created_at: timestamp, ...message, content, channel: place, ...(user && {user}), ...(guild && {guild})}
  }

  /** Returns the platform's id of a message sent under this outbox id, or undefined if it has none yet. */
  async platformId(endpoint: string, id: string): Promise<string | undefined> {
    const row = await findMessage(this.#database, id)
    // The outbox writes it as a list of strings.
    const ids: readonly string[] = row?.endpoint === endpoint ? fromJson(String(row.platform_ids ?? "[]")) : []
    return ids[0]
  }

  /** Returns how the platform identifies a message. For the bot's own, the channel is the one that it was sent to. */
  async messageOf(endpoint: string, channel: string, id: string): Promise<{channel: string; message: MessageRef}> {
    const row = await findMessage(this.#database, id)
    if (row?.endpoint !== endpoint) return {channel, message: {platform: id}}
    return {channel: String(row.channel), message: {outbox: id}}
  }

  /** Returns the result of an outbox row, or undefined while it is pending. */
  async outcome(id: string): Promise<Outcome | undefined> {
    const row = await findMessage(this.#database, id)
    const state = String(row?.state ?? "discarded")
    if (["scheduled", "queued", "sending"].includes(state)) return undefined
    if (state !== "sent") return {is: "failed", why: `${state}: ${row?.error ?? "an operator ended it"}`}
    return {is: "done", ids: fromJson(String(row?.platform_ids ?? "[]"))}
  }
}
