import type {Chat} from "grammy/types"
import {type Incoming, refused} from "../../../../shared/sdk/sdk.ts"
import {BotApiError} from "./failures.ts"

/** The target of a method of the Bot API. */
export interface Place {
  readonly chat_id: number | string
  readonly message_thread_id?: number
}

/** Returns a channel's id: the chat's id, and for a forum topic a colon and the topic's id. */
export const channelIdOf = (chat: number, topic?: number): string =>
  topic === undefined ? `${chat}` : `${chat}:${topic}`

const partsOf = (channel: string): readonly string[] => /^(-?\d+|@\w+)(?::(\d+))?$/.exec(channel)?.slice(1) ?? []

const placeOf = (channel: string): Place => {
  const [chat, topic] = partsOf(channel)
  if (chat === undefined)
    throw refused(`"${channel}" is not a Telegram chat`, {
      reason: "target_invalid",
      remediation: "Send to the id of a chat, <chat>:<topic> for a topic of a forum, or @name of a public channel.",
    })
  const chat_id = chat.startsWith("@") ? chat : Number(chat)
  return topic === undefined ? {chat_id} : {chat_id, message_thread_id: Number(topic)}
}

/** The chats of a connection. A group that becomes a supergroup gets a new id, which replaces the old one here. */
export class Places {
  readonly #moved = new Map<number | string, number>()
  /** The public names of chats in lower case, by id. */
  readonly #names = new Map<number, string>()

  learn({id, username}: Pick<Chat, "id" | "username">): void {
    if (username !== undefined) this.#names.set(id, `@${username.toLowerCase()}`)
  }

  /**
   * Returns the channel of a press whose message was sent to a chat's public name, to the former id of a group, or to a
   * topic: Telegram does not name the topic of a message older than 48 hours.
   */
  channelOf(sent: string, {channel}: Incoming): string | undefined {
    const [[to = "", topic], [pressed]] = [partsOf(sent), partsOf(channel?.id ?? "")]
    const chat = Number(pressed)
    const isThere = to === pressed || this.#moved.get(Number(to)) === chat || this.#names.get(chat) === to.toLowerCase()
    return isThere ? channelIdOf(chat, topic === undefined ? undefined : Number(topic)) : undefined
  }

  /** Stores the id of the supergroup that replaces a group. */
  move(from: number | string, to: number): void {
    this.#moved.set(from, to)
  }

  /** Runs an act in a channel. Repeats it if Telegram answers that the group has become a supergroup. */
  async in<T>(channel: string, act: (place: Place) => Promise<T>): Promise<T> {
    const place = this.#current(placeOf(channel))
    try {
      return await act(place)
    } catch (error) {
      if (!(error instanceof BotApiError) || error.movedTo === undefined) throw error
      this.move(place.chat_id, error.movedTo)
      return act(this.#current(place))
    }
  }

  #current({chat_id, ...topic}: Place): Place {
    return {chat_id: this.#moved.get(chat_id) ?? chat_id, ...topic}
  }
}
