import {Pins, type Poll, votersOf} from "../fake/shown.ts"

/** The start of the time in Discord's ids: 2015. */
const epoch = 1_420_070_400_000

export interface FakeUser {
  readonly id: string
  readonly username: string
  readonly bot?: boolean
}

export interface FakeFile {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly bytes: Uint8Array
}

/** A message as the fake stores it. */
export interface FakeMessage {
  readonly id: string
  readonly channel: string
  readonly author: FakeUser
  readonly content: string
  readonly at: number
  readonly edits: number
  readonly editedAt?: string
  readonly files: readonly FakeFile[]
  readonly reactions: readonly {readonly emoji: string; readonly user: string}[]
  readonly nonce?: string
  readonly reference?: string
  readonly mentions: readonly string[]
  readonly components: readonly unknown[]
  readonly poll?: Poll
  /** The bot's original request. */
  readonly body?: Readonly<Record<string, unknown>>
  readonly type: number
}

/** The fake's only server: its channels, with a thread among them. */
export const guild = {
  id: "500",
  name: "Club",
  channels: [
    {id: "600", name: "general", type: 0},
    {id: "601", name: "a thread", type: 11},
    {id: "602", name: "talk", type: 2},
  ],
} as const

export const publicUser = ({id, username, bot = false}: FakeUser) => ({
  id,
  username,
  discriminator: "0",
  global_name: null,
  avatar: null,
  ...(bot ? {bot} : {}),
})

export class World {
  readonly messages = new Map<string, FakeMessage>()
  readonly members = new Map<string, {until: string | null; roles: Set<string>}>()
  readonly pins = new Pins()
  /** By application. */
  readonly commands = new Map<string, readonly {readonly name: string}[]>()
  readonly files = new Map<string, FakeFile>()
  /** The bot's permissions in the server, and the settings of its application: all permissions, in Discord's form. */
  permissions = String((1n << 45n) - 1n)
  application: Readonly<Record<string, unknown>> = {flags: (1 << 15) | (1 << 19)}
  #last = 0n

  constructor() {
    for (const id of ["42", "43"]) this.members.set(id, {until: null, roles: new Set()})
  }

  /** A new id in Discord's form. */
  makeId(): string {
    const now = BigInt(Date.now() - epoch) << 22n
    this.#last = now > this.#last ? now : this.#last + 1n
    return String(this.#last)
  }

  isGuildChannel(channel: string): boolean {
    return guild.channels.some(({id}) => id === channel)
  }

  user(id: string): FakeUser {
    return {id, username: `user${id}`}
  }

  in(channel: string): readonly FakeMessage[] {
    return [...this.messages.values()].filter(message => message.channel === channel)
  }

  add(message: Partial<FakeMessage> & Pick<FakeMessage, "channel" | "author" | "content">): FakeMessage {
    const made = {
      id: this.makeId(),
      at: Date.now(),
      edits: 0,
      files: [],
      reactions: [],
      mentions: [],
      components: [],
      type: message.reference === undefined ? 0 : 19,
      ...message,
    }
    for (const file of made.files) this.files.set(file.id, file)
    this.messages.set(made.id, made)
    return made
  }

  change(id: string, change: Partial<FakeMessage>): FakeMessage | undefined {
    const found = this.messages.get(id)
    if (found === undefined) return undefined
    const changed = {...found, ...change}
    this.messages.set(id, changed)
    return changed
  }

  /** A message in the API's form; `origin` is the address of its files. Events of the gateway also name the server. */
  tell(message: FakeMessage, origin: string): Readonly<Record<string, unknown>> {
    const {reference} = message
    const quoted = reference === undefined ? undefined : this.messages.get(reference)
    return {
      id: message.id,
      channel_id: message.channel,
      author: publicUser(message.author),
      content: message.content,
      timestamp: new Date(message.at).toISOString(),
      edited_timestamp: message.editedAt ?? null,
      tts: false,
      mention_everyone: message.content.includes("@everyone") && message.mentions.includes("everyone"),
      mentions: message.mentions.filter(id => /^\d+$/.test(id)).map(id => publicUser(this.user(id))),
      mention_roles: [],
      attachments: message.files.map(({id, name, type, bytes}) => ({
        id,
        filename: name,
        content_type: type,
        size: bytes.length,
        url: `${origin}/attachments/${id}/${encodeURIComponent(name)}`,
      })),
      embeds: [],
      pinned: this.pins.of(message.channel).includes(message.id),
      type: message.type,
      channel_type: guild.channels.find(({id}) => id === message.channel)?.type ?? 1,
      components: message.components,
      ...(message.poll === undefined ? {} : {poll: told(message.poll)}),
      ...(reference === undefined ? {} : {message_reference: {message_id: reference, channel_id: message.channel}}),
      ...(quoted === undefined ? {} : {referenced_message: this.tell(quoted, origin)}),
    }
  }
}

const told = (poll: Poll) => ({
  question: {text: poll.question},
  answers: poll.options.map((text, n) => ({answer_id: n + 1, poll_media: {text}})),
  allow_multiselect: poll.isMultiple,
  layout_type: 1,
  results: {
    is_finalized: poll.isClosed,
    answer_counts: poll.options.map((_, n) => ({id: n + 1, count: votersOf(poll, n).length, me_voted: false})),
  },
})
