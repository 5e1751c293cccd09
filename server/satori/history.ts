import {fromJson} from "../../shared/json.ts"
import type {Channel, Message, SatoriEvent, User} from "../../shared/sdk/satori.ts"
import type {Database} from "../database/database.ts"
import type {MessageRef} from "../outbox/draft.ts"
import {withFileLinks} from "./files/events.ts"
import type {LoginOf} from "./frame.ts"

/** The Host keeps no directory of a platform. It answers from this many of the newest events. */
export const seenEvents = 10_000

const newest = `FROM (SELECT seq, endpoint, conversation, event FROM inbox ORDER BY seq DESC LIMIT ${seenEvents})`

export type Outcome =
  | {readonly is: "done"; readonly ids: readonly string[]}
  | {readonly is: "failed"; readonly why: string}

/** An inbox event with its sequence number. */
interface Kept {
  readonly seq: number
  readonly event: SatoriEvent
}

/** Reads one endpoint's channels, users and messages from the inbox and the outbox. */
export class History {
  readonly #database: Database
  readonly #loginOf: LoginOf

  constructor(database: Database, loginOf: LoginOf) {
    this.#database = database
    this.#loginOf = loginOf
  }

  async channel(endpoint: string, id: string): Promise<Channel | undefined> {
    return (await this.#event("conversation = ?", [`${endpoint}/${id}`]))?.channel
  }

  async user(endpoint: string, id: string): Promise<User | undefined> {
    return (await this.#event("endpoint = ? AND event ->> '$.user.id' = ?", [endpoint, id]))?.user
  }

  async guild(endpoint: string, id: string): Promise<SatoriEvent["guild"]> {
    return (await this.#event("endpoint = ? AND event ->> '$.guild.id' = ?", [endpoint, id]))?.guild
  }

  async directChannel(endpoint: string, user: string): Promise<Channel | undefined> {
    const condition = "endpoint = ? AND event ->> '$.user.id' = ? AND event ->> '$.channel.type' = 1"
    return (await this.#event(condition, [endpoint, user]))?.channel
  }

  async received(endpoint: string, channel: string, id: string): Promise<(Message & Partial<SatoriEvent>) | undefined> {
    const isIt = ({event: {message, channel: said}}: Kept) => message?.id === id && said?.id === channel
    const byEvent = await this.#kept("FROM inbox WHERE endpoint = ? AND event_id = ?", [endpoint, id])
    const kept = byEvent !== undefined && isIt(byEvent) ? byEvent : await this.#newestOf(endpoint, channel, id)
    if (kept === undefined) return undefined
    const {message, channel: place, user, guild, timestamp, login} = kept.event
    if (message === undefined || place === undefined) return undefined
    const content = withFileLinks(message.content, this.#loginOf(endpoint, login), kept.seq)
    return {
      created_at: timestamp,
      ...message,
      content,
      channel: place,
      ...(user && {user}),
      ...(guild && {guild}),
    }
  }

  /** Returns the platform's id of a message sent under this outbox id, or undefined if it has none yet. */
  async platformId(endpoint: string, id: string): Promise<string | undefined> {
    const [row] = await this.#database.read("SELECT platform_ids FROM outbox WHERE id = ? AND endpoint = ?", [
      id,
      endpoint,
    ])
    // The outbox writes it as a list of strings.
    const ids: readonly string[] = typeof row?.platform_ids === "string" ? fromJson(row.platform_ids) : []
    return ids[0]
  }

  /**
   * Returns how the platform identifies a message that a client names by either id. For the bot's own message, the
   * channel is the one that it was sent to.
   */
  async messageOf(endpoint: string, channel: string, id: string): Promise<{channel: string; message: MessageRef}> {
    const [row] = await this.#database.read("SELECT channel FROM outbox WHERE id = ? AND endpoint = ?", [id, endpoint])
    if (row === undefined) return {channel, message: {platform: id}}
    return {channel: String(row.channel), message: {outbox: id}}
  }

  /** Returns the result of an outbox row, or undefined while it is pending. */
  async outcome(id: string): Promise<Outcome | undefined> {
    const [row] = await this.#database.read("SELECT state, error, platform_ids FROM outbox WHERE id = ?", [id])
    const state = String(row?.state ?? "discarded")
    if (["scheduled", "queued", "sending"].includes(state)) return undefined
    if (state !== "sent") return {is: "failed", why: `${state}: ${row?.error ?? "an operator ended it"}`}
    return {is: "done", ids: fromJson(String(row?.platform_ids ?? "[]"))}
  }

  /** Searches the newest events by channel and message id: a platform may number messages by channel. */
  #newestOf(endpoint: string, channel: string, id: string): Promise<Kept | undefined> {
    const where = `WHERE endpoint = ? AND event ->> '$.channel.id' = ? AND event ->> '$.message.id' = ?
      AND event ->> '$.type' = 'message-created' ORDER BY seq DESC LIMIT 1`
    return this.#kept(`${newest} ${where}`, [endpoint, channel, id])
  }

  async #kept(from: string, args: readonly string[]): Promise<Kept | undefined> {
    const [row] = await this.#database.read(`SELECT seq, event ${from}`, args)
    return row === undefined ? undefined : {seq: Number(row.seq), event: parseEvent(row.event)}
  }

  async #event(condition: string, args: readonly string[]): Promise<SatoriEvent | undefined> {
    const [row] = await this.#database.read(`SELECT event ${newest} WHERE ${condition} LIMIT 1`, args)
    return row === undefined ? undefined : parseEvent(row.event)
  }
}

/** The inbox stored it in this form. */
const parseEvent = (text: unknown): SatoriEvent => fromJson(String(text))
