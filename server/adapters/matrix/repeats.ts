import {setTimeout as sleep} from "node:timers/promises"
import {type Client, isSaid, path} from "./client.ts"
import {readEvent, readEvents} from "./event.ts"
import {type Fields, listIn, Recent, textIn} from "./json.ts"
import type {Self} from "./login.ts"

/** Where an event says by which transaction id the bot has sent it: a homeserver may forget that. */
const key = "svc.transaction_id"

/** In milliseconds: what an earlier attempt has left at the homeserver gets so long to come into the room's history. */
const settling = 1000

const page = 100

/** At most so many pages of the bot's own events are looked through; a homeserver may fill them with those of others. */
const mostPages = 3

/** Content that `sentBefore` finds by its transaction id. */
export const marked = (content: Fields, transaction: string): Fields => ({...content, [key]: transaction})

/**
 * What a room has of an earlier attempt. A homeserver may store the event of a client that is gone, and forget its transaction id:
 * Dendrite 0.13.7 does, and would take a repetition for something new.
 */
export class Repeats {
  readonly #client: Client
  readonly #self: Self
  /** Transactions that the homeserver has put off with a rate limit: it has nothing of them. */
  readonly #postponed = new Recent<true>(1000)

  constructor(client: Client, self: Self) {
    this.#client = client
    this.#self = self
  }

  /** A request under this transaction begins. */
  begin(transaction: string): void {
    this.#postponed.delete(transaction)
  }

  postpone(transaction: string): void {
    this.#postponed.set(transaction, true)
  }

  /** The bot's newest messages and edits in the room: their event ids by transaction id. Empty where the first one was put off. */
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
        // The oldest is the one that was answered with, or quoted, if any was.
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
