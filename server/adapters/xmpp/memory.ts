/** A message as far as later ones refer to it. */
export interface Remembered {
  /** Its id in svc. */
  readonly id: string
  /** The `id` that its sender gave it, by which a correction names it. */
  readonly origin: string
  /** Its sender's id in svc; undefined for the bot. */
  readonly user: string | undefined
  /** The archive's id. */
  readonly archived?: string
  /** The begin of its text. */
  readonly text: string
  /** Its sender's address. */
  readonly from: string
}

/** So many messages are remembered, and so much of the text of each. */
const most = 5000
const longest = 300

/**
 * What was said lately, newest last, in all channels of one connection. Not stored: the newest are read from the
 * archives again.
 */
export class Memory {
  readonly #messages = new Map<string, Remembered>()
  /** Ids in svc by what else a message may be named by. */
  readonly #names = new Map<string, string>()
  readonly #reactions = new Map<string, readonly string[]>()

  remember(channel: string, message: Remembered): void {
    const {id, origin, user, archived, text} = message
    bound(this.#messages).set(keyOf(channel, id), {...message, text: text.slice(0, longest)})
    bound(this.#names).set(keyOf(channel, "origin", user ?? "", origin), id)
    if (archived !== undefined) bound(this.#names).set(keyOf(channel, "archive", archived), id)
  }

  /** A correction that its author corrects again may be named in place of the first message. */
  corrected(channel: string, user: string | undefined, origin: string, id: string): void {
    bound(this.#names).set(keyOf(channel, "origin", user ?? "", origin), id)
  }

  find(channel: string, id: string): Remembered | undefined {
    return this.#messages.get(keyOf(channel, id))
  }

  /** The id in svc of what this user, or the bot, sent under this `id`. */
  idOf(channel: string, user: string | undefined, origin: string): string | undefined {
    return this.#names.get(keyOf(channel, "origin", user ?? "", origin))
  }

  /** What somebody's reactions to a message were so far. */
  reactions(channel: string, message: string, user: string): readonly string[] {
    return this.#reactions.get(keyOf(channel, message, user)) ?? []
  }

  react(channel: string, message: string, user: string, emojis: readonly string[]): void {
    bound(this.#reactions).set(keyOf(channel, message, user), emojis)
  }
}

const keyOf = (...parts: readonly string[]): string => parts.join("\0")

/** The map with room for one more: the oldest goes. */
const bound = <V>(map: Map<string, V>): Map<string, V> => {
  const [oldest] = map.keys()
  if (map.size >= most && oldest !== undefined) map.delete(oldest)
  return map
}
