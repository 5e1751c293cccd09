import {type CommandSummary, type Content, refused, textOf} from "../../../shared/sdk/sdk.ts"

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
  /** True once the bot has replaced what it said. */
  readonly edited: boolean
}

/** What happens in a channel, and the message as it is then. */
export type RoomChange =
  | {readonly change: "said" | "edited" | "deleted" | "reacted" | "unreacted"; readonly message: RoomMessage}
  | {readonly change: "typing"}
  /** The bot did something to the guild: a sentence without its subject. */
  | {readonly change: "moderated"; readonly what: string}

type Listener = (change: RoomChange) => void

/** So many messages are remembered, over all channels. */
const remembered = 1000

/** The sandbox's platform: channels in memory, and whoever listens to them. */
export class Room {
  /** The bot's, as it lists them for its platforms. */
  commands: readonly CommandSummary[] = []
  #messages: RoomMessage[] = []
  readonly #listeners = new Map<Listener, string>()

  say(from: RoomMessage["from"], channel: string, id: string, elements: Content): void {
    const at = new Date().toISOString()
    const message = {id, channel, from, text: textOf(elements), elements, reactions: [], at, edited: false}
    this.#messages = [...this.#messages.slice(1 - remembered), message]
    this.#tell(channel, {change: "said", message})
  }

  /** Throws a refusal where there is no such message. */
  edit(channel: string, id: string, elements: Content): void {
    this.message(channel, id)
    this.#change(channel, id, "edited", {elements, text: textOf(elements), edited: true})
  }

  /** A message that is gone already counts as deleted. */
  delete(channel: string, id: string): void {
    const message = this.#find(channel, id)
    if (message === undefined) return
    this.#messages = this.#messages.filter(each => each !== message)
    this.#tell(channel, {change: "deleted", message})
  }

  react(channel: string, id: string, emoji: string): void {
    const reactions = this.#find(channel, id)?.reactions ?? []
    this.#change(channel, id, "reacted", {reactions: [...reactions, emoji]})
  }

  unreact(channel: string, id: string, emoji: string): void {
    const reactions = this.#find(channel, id)?.reactions ?? []
    const at = reactions.lastIndexOf(emoji)
    if (at >= 0) this.#change(channel, id, "unreacted", {reactions: reactions.toSpliced(at, 1)})
  }

  typing(channel: string): void {
    this.#tell(channel, {change: "typing"})
  }

  /** Takes back all reactions, or those with one emoji. */
  clearReactions(channel: string, id: string, emoji?: string): void {
    const {reactions} = this.message(channel, id)
    const left = emoji === undefined ? [] : reactions.filter(each => each !== emoji)
    this.#change(channel, id, "unreacted", {reactions: left})
  }

  /** Throws a refusal where there is no such message. */
  message(channel: string, id: string): RoomMessage {
    const message = this.#find(channel, id)
    if (message !== undefined) return message
    throw refused(`there is no message ${id} in ${channel}`, {
      reason: "message_unknown",
      remediation: "The sandbox remembers its newest messages, and none from before the Host started.",
    })
  }

  /** What was said in a channel, oldest first. */
  messages(channel: string): readonly RoomMessage[] {
    return this.#messages.filter(message => message.channel === channel)
  }

  /** Hears what happens in a channel from now on; returns the end of it. */
  listen(channel: string, listener: Listener): () => void {
    this.#listeners.set(listener, channel)
    return () => this.#listeners.delete(listener)
  }

  #find(channel: string, id: string): RoomMessage | undefined {
    return this.#messages.find(message => message.id === id && message.channel === channel)
  }

  #change(channel: string, id: string, change: "edited" | "reacted" | "unreacted", to: Partial<RoomMessage>): void {
    const before = this.#find(channel, id)
    if (before === undefined) return
    const message = {...before, ...to}
    this.#messages = this.#messages.map(each => (each === before ? message : each))
    this.#tell(channel, {change, message})
  }

  /** In whatever channel they are. */
  tellAll(what: string): void {
    for (const listener of this.#listeners.keys()) listener({change: "moderated", what})
  }

  #tell(channel: string, change: RoomChange): void {
    for (const [listener, at] of this.#listeners) if (at === channel) listener(change)
  }
}
