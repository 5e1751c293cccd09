import {type CommandSummary, type Content, type Element, h, refused, type StoredFile} from "../../../shared/sdk/sdk.ts"
import {buttonsOf, type RoomButton, shownText} from "./buttons.ts"

/** One message of a sandbox channel, by a user or by the bot. */
export interface RoomMessage {
  readonly id: string
  readonly channel: string
  readonly from: "user" | "bot"
  /** The id of its author. */
  readonly user: string
  /** With its buttons as the last line. */
  readonly text: string
  readonly elements: Content
  /** The bot's files in the message, in order. */
  readonly files: readonly StoredFile[]
  readonly buttons: readonly RoomButton[]
  /** Reactions of the bot to this message. */
  readonly reactions: readonly string[]
  readonly at: string
  /** True once the bot has edited the message. */
  readonly edited: boolean
}

/** A change in a channel, with the message after the change. */
export type RoomChange =
  | {readonly change: "said" | "edited" | "deleted" | "reacted" | "unreacted"; readonly message: RoomMessage}
  | {readonly change: "typing"}
  /** The bot changed the guild; `what` is a sentence without its subject. */
  | {readonly change: "moderated"; readonly what: string}

/** A remembered change. `number` counts the changes from 1. */
export type NumberedChange = RoomChange & {
  readonly number: number
  /** Absent for changes outside any channel. */
  readonly channel?: string
  /** The text before the edit. */
  readonly before?: string
  /** The added or removed reaction; absent if all were removed. */
  readonly emoji?: string
}

type Listener = (change: RoomChange) => void

/** How many messages over all channels, and how many changes, the room remembers. */
const remembered = 1000

const saying = (elements: Content) => ({elements, text: shownText(elements), buttons: buttonsOf(elements)})

/** The sandbox's platform: channels in memory, and their listeners. */
export class Room {
  /** The commands that the bot lists for its platforms. */
  commands: readonly CommandSummary[] = []
  #messages: RoomMessage[] = []
  #changes: NumberedChange[] = []
  #lastChange = 0
  readonly #listeners = new Map<Listener, string>()
  readonly #now: () => number

  /** `now` returns milliseconds since 1970. */
  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** Shows a message: of the bot, or of the user with this id. */
  say(channel: string, id: string, elements: Content, files: RoomMessage["files"] = [], user?: string): void {
    const at = new Date(this.#now()).toISOString()
    const by = user === undefined ? ({from: "bot", user: "bot"} as const) : ({from: "user", user} as const)
    const message = {id, channel, ...by, ...saying(elements), files, reactions: [], at, edited: false}
    this.#messages = [...this.#messages.slice(1 - remembered), message]
    this.#tell(channel, {change: "said", message})
  }

  /** Throws a refusal if the message does not exist. */
  edit(channel: string, id: string, elements: Content, files: RoomMessage["files"] = []): void {
    const {text: before} = this.message(channel, id)
    this.#change(channel, id, "edited", {...saying(elements), files, edited: true}, {before})
  }

  /** A message that no longer exists counts as deleted. */
  delete(channel: string, id: string): void {
    const message = this.#find(channel, id)
    if (message === undefined) return
    this.#messages = this.#messages.filter(each => each !== message)
    this.#tell(channel, {change: "deleted", message})
  }

  react(channel: string, id: string, emoji: string): void {
    const reactions = this.#find(channel, id)?.reactions ?? []
    this.#change(channel, id, "reacted", {reactions: [...reactions, emoji]}, {emoji})
  }

  unreact(channel: string, id: string, emoji: string): void {
    const reactions = this.#find(channel, id)?.reactions ?? []
    const at = reactions.lastIndexOf(emoji)
    if (at >= 0) this.#change(channel, id, "unreacted", {reactions: reactions.toSpliced(at, 1)}, {emoji})
  }

  typing(channel: string): void {
    this.#tell(channel, {change: "typing"})
  }

  /** Removes all reactions, or those with one emoji. */
  clearReactions(channel: string, id: string, emoji?: string): void {
    const {reactions} = this.message(channel, id)
    const left = emoji === undefined ? [] : reactions.filter(each => each !== emoji)
    this.#change(channel, id, "unreacted", {reactions: left}, emoji === undefined ? {} : {emoji})
  }

  /** Throws a refusal if the message does not exist. */
  message(channel: string, id: string): RoomMessage {
    const message = this.#find(channel, id)
    if (message !== undefined) return message
    throw refused(`there is no message ${id} in ${channel}`, {
      reason: "message_unknown",
      remediation: "The sandbox remembers only its newest messages, and none from before the Host started.",
    })
  }

  /** Returns the quote of a message. Throws a refusal if the message does not exist. */
  quote(channel: string, id: string): Element {
    const {user, elements} = this.message(channel, id)
    return h("quote", {id}, h("author", {id: user, name: user}), ...[elements].flat())
  }

  /** Returns the messages of a channel, oldest first. */
  messages(channel: string): readonly RoomMessage[] {
    return this.#messages.filter(message => message.channel === channel)
  }

  /** Returns the changes after this number, in all channels, oldest first. */
  changes(after: number): readonly NumberedChange[] {
    return this.#changes.filter(({number}) => number > after)
  }

  /** Listens to the changes in a channel. Returns a function that stops listening. */
  listen(channel: string, listener: Listener): () => void {
    this.#listeners.set(listener, channel)
    return () => this.#listeners.delete(listener)
  }

  #find(channel: string, id: string): RoomMessage | undefined {
    return this.#messages.find(message => message.id === id && message.channel === channel)
  }

  #change(
    channel: string,
    id: string,
    change: "edited" | "reacted" | "unreacted",
    to: Partial<RoomMessage>,
    more: Pick<NumberedChange, "before" | "emoji">,
  ): void {
    const before = this.#find(channel, id)
    if (before === undefined) return
    const message = {...before, ...to}
    this.#messages = this.#messages.map(each => (each === before ? message : each))
    this.#tell(channel, {change, message}, more)
  }

  /** Tells all listeners, in any channel. */
  tellAll(what: string): void {
    this.#remember({change: "moderated", what})
    for (const listener of this.#listeners.keys()) listener({change: "moderated", what})
  }

  #tell(channel: string, change: RoomChange, more: Pick<NumberedChange, "before" | "emoji"> = {}): void {
    this.#remember(change, {channel, ...more})
    for (const [listener, at] of this.#listeners) if (at === channel) listener(change)
  }

  #remember(change: RoomChange, more: Omit<NumberedChange, "number" | "change"> = {}): void {
    this.#changes = [...this.#changes.slice(1 - remembered), {number: ++this.#lastChange, ...more, ...change}]
  }
}
