import {Pins} from "../fake/shown.ts"

export const bot = {user: "U0BOT", bot: "B0BOT", app: "A0APP"} as const
export const team = "T0TEAM"

export const tokens = {bot: "xoxb-the-right-bot", app: "xapp-the-right-app", second: "xoxb-another-right-bot"} as const

export interface Message {
  readonly ts: string
  readonly channel: string
  readonly user: string
  readonly at: number
  readonly thread_ts?: string | undefined
  readonly bot_id?: string
  readonly subtype?: string
  text: string
  blocks: readonly Record<string, unknown>[]
  files: readonly StoredFile[]
  edited?: {readonly user: string; readonly ts: string}
  readonly reactions: Set<string>
  /** The visible text. */
  shown: string
}

export interface StoredFile {
  readonly id: string
  readonly name: string
  readonly mimetype: string
  bytes: Uint8Array
  shares: Record<string, readonly {readonly ts: string}[]>
}

export class World {
  readonly messages: Message[] = []
  readonly files = new Map<string, StoredFile>()
  readonly members = new Map<string, Set<string>>([["C0ROOM", new Set([bot.user, "U0ANN", "U0BOB"])]])
  readonly pins = new Pins()
  #second = 1_700_000_000
  #count = 0

  /** A `ts` after all earlier ones: a time, and a number within it. */
  ts(): string {
    this.#second = Math.max(this.#second, Math.floor(Date.now() / 1000))
    return `${this.#second}.${String(++this.#count).padStart(6, "0")}`
  }

  find(channel: unknown, ts: unknown): Message | undefined {
    return this.messages.find(message => message.channel === channel && message.ts === ts)
  }

  add(message: Omit<Message, "ts" | "at" | "reactions" | "files" | "blocks" | "shown"> & Partial<Message>): Message {
    const added = {
      ts: this.ts(),
      at: Date.now(),
      reactions: new Set<string>(),
      files: [],
      blocks: [],
      shown: message.text,
    }
    const made: Message = {...added, ...message}
    this.messages.push(made)
    return made
  }
}
