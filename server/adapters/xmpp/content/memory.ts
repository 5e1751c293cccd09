/** The data of a message to which later ones refer. */
export interface Remembered {
  /** The message's id in svc. */
  readonly id: string
  /** The sender's `id`, by which a correction names the message. */
  readonly origin: string
  /** The sender's id in svc; undefined for the bot. */
  readonly user: string | undefined
  /** The archive's id. */
  readonly archived?: string
  /** The beginning of the text. */
  readonly text: string
  /** The sender's address. */
  readonly from: string
}

/** The number of remembered messages, and the length of the text of each. */
const most = 5000
const longest = 300

/**
 * The latest messages of all channels in one connection, newest last. In memory only: after a reconnect, the newest are
 * read from the archives.
 */
export class Memory {
  readonly #messages = new Map<string, Remembered>()
  /** Ids in svc, by the other ids of a message. */
  readonly #names = new Map<string, string>()
  readonly #reactions = new Map<string, readonly string[]>()

  remember(channel: string, message: Remembered): void {
    const {id, origin, user, archived, text} = message
    bound(this.#messages).set(keyOf(channel, id), {...message, text: text.slice(0, longest)})
    bound(this.#names).set(keyOf(channel, "origin", user ?? "", origin), id)
    if (archived !== undefined) bound(this.#names).set(keyOf(channel, "archive", archived), id)
  }

  /** Notes a correction's id, because a second correction may name it instead of the first message. */
  corrected(channel: string, user: string | undefined, origin: string, id: string): void {
    bound(this.#names).set(keyOf(channel, "origin", user ?? "", origin), id)
  }

  find(channel: string, id: string): Remembered | undefined {
    return this.#messages.get(keyOf(channel, id))
  }

  /** Returns the id in svc of a message that this user, or the bot, sent with this `id`. */
  idOf(channel: string, user: string | undefined, origin: string): string | undefined {
    return this.#names.get(keyOf(channel, "origin", user ?? "", origin))
  }

  /** Returns a user's current reactions to a message. */
  reactions(channel: string, message: string, user: string): readonly string[] {
    return this.#reactions.get(keyOf(channel, message, user)) ?? []
  }

  react(channel: string, message: string, user: string, emojis: readonly string[]): void {
    bound(this.#reactions).set(keyOf(channel, message, user), emojis)
  }
}

const keyOf = (...parts: readonly string[]): string => parts.join("\0")

/** Returns the map with room for one more entry: drops the oldest if it is full. */
const bound = <V>(map: Map<string, V>): Map<string, V> => {
  const [oldest] = map.keys()
  if (map.size >= most && oldest !== undefined) map.delete(oldest)
  return map
}
