import {type Content, textOf} from "../../../shared/sdk/sdk.ts"

/** One message of a sandbox channel, by a user or by the bot. */
export interface RoomMessage {
  readonly id: string
  readonly channel: string
  readonly from: "user" | "bot"
  readonly text: string
  readonly elements: Content
  /** Reactions of the bot to this message. */
  readonly reactions: readonly string[]
  readonly at: string
}

type Listener = (message: RoomMessage) => void

/** So many messages are remembered, over all channels. */
const remembered = 1000

/** The sandbox's platform: channels in memory, and whoever listens to them. */
export class Room {
  #messages: RoomMessage[] = []
  readonly #listeners = new Map<Listener, string>()

  say(from: RoomMessage["from"], channel: string, id: string, elements: Content): void {
    const at = new Date().toISOString()
    const message = {id, channel, from, text: textOf(elements), elements, reactions: [], at}
    this.#messages = [...this.#messages.slice(1 - remembered), message]
    this.#tell(message)
  }

  react(channel: string, id: string, emoji: string): void {
    const at = this.#messages.findIndex(message => message.id === id && message.channel === channel)
    const message = this.#messages[at]
    if (message === undefined) return
    const reacted = {...message, reactions: [...message.reactions, emoji]}
    this.#messages[at] = reacted
    this.#tell(reacted)
  }

  /** What was said in a channel, oldest first. */
  messages(channel: string): readonly RoomMessage[] {
    return this.#messages.filter(message => message.channel === channel)
  }

  /** Hears a channel's messages and reactions from now on; returns the end of it. */
  listen(channel: string, listener: Listener): () => void {
    this.#listeners.set(listener, channel)
    return () => this.#listeners.delete(listener)
  }

  #tell(message: RoomMessage): void {
    for (const [listener, channel] of this.#listeners) if (channel === message.channel) listener(message)
  }
}
