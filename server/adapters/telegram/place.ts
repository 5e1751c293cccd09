import {refused} from "../../../shared/sdk/sdk.ts"
import {BotApiError} from "./failures.ts"

/** Where a method acts, as the Bot API has it. */
export interface Place {
  readonly chat_id: number | string
  readonly message_thread_id?: number
}

/** A channel's id: that of the chat, and behind a colon that of the forum topic. */
export const channelIdOf = (chat: number, topic?: number): string =>
  topic === undefined ? `${chat}` : `${chat}:${topic}`

const placeOf = (channel: string): Place => {
  const [, chat, topic] = /^(-?\d+|@\w+)(?::(\d+))?$/.exec(channel) ?? []
  if (chat === undefined)
    throw refused(`"${channel}" is not a Telegram chat`, {
      reason: "target_invalid",
      remediation: "Send to the id of a chat, <chat>:<topic> for a topic of a forum, or @name of a public channel.",
    })
  const chat_id = chat.startsWith("@") ? chat : Number(chat)
  return topic === undefined ? {chat_id} : {chat_id, message_thread_id: Number(topic)}
}

/** The chats of a connection: a group that has become a supergroup has another id, under which it is then found. */
export class Places {
  readonly #moved = new Map<number | string, number>()

  /** A group has become a supergroup. */
  move(from: number | string, to: number): void {
    this.#moved.set(from, to)
  }

  /** Runs an act in a channel, and once more where Telegram says that the group has become a supergroup. */
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
