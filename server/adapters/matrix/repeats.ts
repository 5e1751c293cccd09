import {setTimeout as sleep} from "node:timers/promises"
import {type Client, isSaid, path} from "./client/client.ts"
import {readEvent, readEvents} from "./client/event.ts"
import {type Fields, listIn, Recent, textIn} from "./client/json.ts"
import type {Self} from "./client/login.ts"

/** The field in which the bot stores an event's transaction id, because a homeserver may forget the id. */
const key = "svc.transaction_id"

/** How long an event of an earlier attempt may need to appear in the room's history, in milliseconds. */
const settling = 1000

const page = 50

/** The most pages of the bot's own events to search. A homeserver may fill them with events of others. */
const mostPages = 3

/** Adds the transaction id to the content, so that `sentBefore` can find it. */
export const marked = (content: Fields, transaction: string): Fields => ({...content, [key]: transaction})

/**
 * Finds events of an earlier attempt in a room. A homeserver may store an event although its client has disconnected,
 * and forget the transaction id: Dendrite 0.13.7 does, and would accept a repeated event as a new one.
 */
export class Repeats {
  readonly #client: Client
  readonly #self: Self
  /** Transactions that the homeserver has rate-limited: it has stored nothing of them. */
  readonly #postponed = new Recent<true>(1000)

  constructor(client: Client, self: Self) {
    this.#client = client
    this.#self = self
  }

  /** A request with this transaction starts. */
  begin(transaction: string): void {
    this.#postponed.delete(transaction)
  }

  postpone(transaction: string): void {
    this.#postponed.set(transaction, true)
  }

  /**
   * Returns the event ids of the bot's newest messages and edits in the room, by transaction id. Empty if the first one
   * was rate-limited.
   */
  async sentBefore(room: string, first: string, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
    const sent = new Map<string, string>()
    if (this.#postponed.get(first)) return sent
    await settle(signal)
    const filter = JSON.stringify({senders: [this.#self.id], types: ["m.room.message"]})
    let from: string | undefined
    for (let pages = 0; pages < mostPages; pages++) {
      const query = {dir: "b", from, limit: page, filter}
      const answer = await this.#client.ask("GET", path`/client/v3/rooms/${room}/messages`, {query, signal})
      const events = readEvents(listIn(answer, "chunk"))
      for (const {id, sender, content} of events) {
        const transaction = textIn(content, key)
        // The oldest one may have been answered or quoted.
        if (transaction !== undefined && sender === this.#self.id) sent.set(transaction, id)
      }
      const end = textIn(answer, "end")
      if (sent.has(first) || events.length === 0 || end === undefined || end === from) break
      from = end
    }
    return sent
  }

  async isRedacted(room: string, event: string, signal: AbortSignal): Promise<boolean> {
    await settle(signal)
    const route = path`/client/v3/rooms/${room}/event/${event}`
    const answer = await this.#client.ask("GET", route, {signal}).catch(error => {
      if (isSaid(error, "M_NOT_FOUND", "M_FORBIDDEN")) return undefined
      throw error
    })
    return readEvent(answer)?.isRedacted ?? false
  }
}

export const settle = (signal: AbortSignal): Promise<void> => sleep(settling, undefined, {signal})
