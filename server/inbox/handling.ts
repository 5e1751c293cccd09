import type {Position} from "../../shared/api/plugin-views.ts"
import type {Statement} from "../../shared/sdk/plugin/database.ts"
import type {SatoriEvent} from "../../shared/sdk/satori.ts"
import type {Address, OutboxDraft} from "../outbox/draft.ts"
import type {Question} from "./prompts.ts"

/** An event as it is handed to its handlers: stored, with its sequence. */
export type InboxEvent = {readonly endpoint: string; readonly event: SatoriEvent}

/** Where a reply to an event goes; undefined for an event of no conversation. */
export const conversationOf = ({endpoint, event: {channel, user}}: InboxEvent): Address | undefined => {
  const id = channel?.id ?? user?.id
  return id === undefined || id === "" ? undefined : {endpoint, channel: id}
}

/** What a handler leaves behind: stored in one batch with its mark. */
export interface Work {
  readonly sends: readonly OutboxDraft[]
  readonly writes?: readonly Statement[]
  readonly questions?: readonly Question[]
  /** Has something changed that the handler has seen? Then it is run again where its batch is refused. */
  readonly isOutdated?: () => Promise<boolean>
  /** Called once all of it is stored. */
  readonly afterwards?: readonly (() => void)[]
  /** Called once it is stored, or will not be: the files that it names are kept until then. */
  readonly release?: () => void
}

export type Outcome = {
  /** How often the handler is run again when it fails. */
  readonly retries?: number
} & (
  | ({
      readonly is: "handled"
      /** Of a middleware: it has not let the event pass. */
      readonly stops?: boolean
    } & Work)
  | {
      readonly is: "failed"
      readonly error: string
      /** Where in the plugin's own files it was thrown, as far as that is known. */
      readonly at?: Position
      /** What the user is told where it is not run again; asked for once. */
      readonly note?: () => OutboxDraft | undefined
    }
  /** The handler's plugin instance was disposed before the handler had ended. */
  | {readonly is: "interrupted"}
)

/** One attempt of one handler at one event: what it can store, and read, before its end. */
export interface Attempt {
  /**
   * Stores a message at once, as the `ordinal`th of this handler and event; resolves to its outbox id. What an earlier
   * attempt stored under that ordinal is not stored again: its id is the answer. Throws `late` for an attempt that has ended.
   */
  sendNow(draft: OutboxDraft, ordinal: number): Promise<string>
  /** Where a message of the outbox goes, by its id. */
  sent(id: string): Promise<Address | undefined>
  /** The question that this event answers. */
  question(): Promise<Question | undefined>
  /** Has what a middleware is around run; resolves when it has ended. For any other handler, nothing. */
  next(): Promise<void>
}

/** What the running generation does with events; passed in by the composition root. */
export interface Dispatch {
  /** The ids of the handlers that an event of an endpoint is for; `asked` is who waits for an answer of its user. */
  match(event: SatoriEvent, asked?: string, endpoint?: string): readonly string[]
  /** Which of these handlers are around the others, the outermost first. */
  order(handlers: readonly string[]): {readonly around: readonly string[]; readonly within: readonly string[]}
  /** Runs one handler to its end; never rejects. */
  run(stored: InboxEvent, handler: string, attempt: Attempt): Promise<Outcome>
}
