import type {Position} from "../../../shared/api/plugin-views.ts"
import type {Login, SatoriEvent} from "../../../shared/sdk/content/satori.ts"
import type {Statement} from "../../../shared/sdk/session/database.ts"
import type {HandlerOrder} from "../../../shared/sdk/session/handler.ts"
import type {RawEvent} from "../../../shared/sdk/session/session.ts"
import type {Address, Located, OutboxDraft, OwnMessage} from "../../outbox/draft.ts"
import type {Question} from "./prompts.ts"

/** An event as its handlers receive it: stored, with its sequence. */
export interface InboxEvent {
  readonly endpoint: string
  readonly event: SatoriEvent
  /** From when its age counts, in milliseconds since 1970; its timestamp when left out. */
  readonly since?: number
  /** The platform's own event, for plugins that declare `raw`. */
  readonly raw?: RawEvent | undefined
}

/** Returns the address of a reply to an event; undefined for an event without a conversation. */
export const conversationOf = ({endpoint, event: {channel, user}}: InboxEvent): Address | undefined => {
  const id = channel?.id ?? user?.id
  return id === undefined || id === "" ? undefined : {endpoint, channel: id}
}

/** The beginning of a note that a limit refused a command. */
export const limitedNote = "limited: "

/** What a handler leaves behind: stored in one batch with its mark. */
export interface Work {
  readonly sends: readonly OutboxDraft[]
  readonly writes?: readonly Statement[]
  readonly questions?: readonly Question[]
  /** Has a value changed that the handler has read? Then the handler runs again if its batch is refused. */
  readonly isOutdated?: () => Promise<boolean>
  /** Why the handler did not do what the event asks; stored with its mark. */
  readonly note?: string | undefined
  /** Called once everything is stored. */
  readonly afterwards?: readonly (() => void)[]
  /** Called once it is stored, or will not be. Its files are kept until then. */
  readonly release?: () => void
}

export type Outcome = {
  /** How often a failed handler is retried. */
  readonly retries?: number
} & (
  | ({
      readonly is: "handled"
      /** For a middleware: it did not let the event pass. */
      readonly stops?: boolean
    } & Work)
  | {
      readonly is: "failed"
      readonly error: string
      /** Where in the plugin's own files the error was thrown, as far as known. */
      readonly at?: Position
      /** Returns the message to the user after the last failure. Called once. */
      readonly note?: () => OutboxDraft | undefined
    }
  /** The handler's plugin instance was disposed before the handler ended. */
  | {readonly is: "interrupted"}
)

/** One attempt of one handler at one event: what it can store and read before its end. */
export interface Attempt {
  /** How old the event was when the attempt began, in milliseconds. */
  readonly age: number
  /** How old its replies may be when they are sent, in milliseconds; their endpoints decide when left out. */
  readonly maxAge?: number | undefined
  /** A person had it run again: no limit refuses it. */
  readonly byPerson?: boolean
  /** Call it immediately before the handler begins: its claim may have waited. Resolves to whether it is too old. */
  readonly expires?: () => Promise<boolean> | false
  /**
   * Stores a message at once, as number `ordinal` of this handler and event. Resolves to its outbox id. If an earlier
   * attempt stored a message under that ordinal, resolves to that id and stores nothing. Throws `late` if the attempt
   * has ended.
   */
  sendNow(draft: OutboxDraft, ordinal: number): Promise<string>
  /** Returns the message that an outbox row shows, and its address. */
  sent(id: string): Promise<Located | undefined>
  /** Returns the bot's own message that the platform names by this id in the event's conversation. */
  own(platform: string): Promise<OwnMessage | undefined>
  /** Returns the question that this event answers, or the press that it is. */
  question(): Promise<Question | undefined>
  /** Runs the handlers inside a middleware, and resolves when they have ended. Does nothing for other handlers. */
  next(): Promise<void>
}

/** A message that tells a user what expired. Call `stored` once it is durable. */
export interface AgeNotice {
  readonly draft: OutboxDraft
  stored(): void
}

/** The age limits of the running generation. */
export interface Ages {
  /** Returns the age up to which a handler runs for an event of an endpoint, in milliseconds; undefined for any age. */
  limitOf(endpoint: string, handler: string): number | undefined
  /** Resolves to the notice for an event that a handler did not run for, if its user gets one. */
  noticeOf(stored: InboxEvent, handler: string): Promise<AgeNotice | undefined>
}

/** What the Host stores about the sender of an event, in the event's batch. Call `stored` once it is durable. */
export interface Seeing {
  readonly statement: Statement
  stored(): void
}

/** How the running generation handles events; passed in by the composition root. */
export interface Dispatch {
  /** Returns the ids of the handlers for an event. `asked` is the handler that waits for an answer of its user. */
  match(event: SatoriEvent, asked?: string, endpoint?: string): readonly string[]
  /** Returns which of these handlers are around the others, the outermost first. */
  nest(handlers: readonly string[]): {readonly around: readonly string[]; readonly within: readonly string[]}
  /** Returns which earlier events a handler waits for; all of its conversation when left out. */
  orderOf?(handler: string): HandlerOrder
  /** Does a handler get the platform's own event? None does when left out. */
  keepsRaw?(handlers: readonly string[]): boolean
  /** Nothing expires when left out. */
  readonly ages?: Ages
  /** Returns who the bot is at an endpoint. */
  loginOf?(endpoint: string): Login
  /** Returns what to store about the sender of an event; nothing when left out. */
  seeing?(endpoint: string, event: SatoriEvent): Seeing | undefined
  /** Runs one handler to its end. Never rejects. */
  run(stored: InboxEvent, handler: string, attempt: Attempt): Promise<Outcome>
}
