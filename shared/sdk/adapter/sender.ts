import type {Element, Node} from "../elements.ts"
import type {StoredFile} from "../files/file-source.ts"
import type {Channel} from "../satori.ts"
import type {DatedIncoming} from "./incoming.ts"

export interface Outgoing {
  /**
   * The outbox id: the same for every attempt. Of a message that the Host splits by `limits.text`, this is the first part;
   * the others have `<id>.2`, `<id>.3` and so on, the same for every attempt too.
   */
  readonly id: string
  readonly channel: string
  readonly content: readonly Node[]
  /**
   * True where an attempt at the same has begun before, of this part where the Host splits the message: the platform may have it.
   * Left out at the first attempt.
   */
  readonly repeated?: boolean
}

export interface Reaction {
  readonly id: string
  readonly channel: string
  readonly message: string
  readonly emoji: string
  /** As in `Outgoing`. */
  readonly repeated?: boolean
}

/** One message of a platform, as an act names it. */
export interface Referred {
  /** The outbox id of the act: the same for every attempt. */
  readonly id: string
  readonly channel: string
  /** The platform's id of the message. */
  readonly message: string
  /** As in `Outgoing`. */
  readonly repeated?: boolean
}

export interface Edit extends Referred {
  readonly content: readonly Node[]
}

/** A file of a message that came in. */
export interface FileRef {
  /** `img`, `audio`, `video` or `file`, as the adapter wrote it. */
  readonly element: Element
  /** Its `src`, where it has one. The author of the message may have chosen it. */
  readonly src?: string
  readonly channel?: string
  /** The platform's id of the message. */
  readonly message?: string
}

/** Messages of one channel beside one that is known: `before` or `after` the platform's id of a message, neither for the newest. */
export interface HistoryQuery {
  readonly channel: string
  readonly before?: string
  readonly after?: string
  /** At most this many. */
  readonly limit: number
}

export interface HistoryPage {
  /** In the order in which they were said. */
  readonly events: readonly DatedIncoming[]
  /** True when the platform has more in that direction. */
  readonly more: boolean
}

/** A command of the bot, as a platform lists it for its users. */
export interface CommandSummary {
  readonly name: string
  readonly description: string
}

/** A stored file of a message, for the channel that the message goes to. */
export interface Upload {
  readonly file: StoredFile
  readonly channel: string
}

/** What one connected account can do. An adapter declares in `features` which of the optional acts it has. */
export interface Sender {
  /** Resolves when the platform has taken the message, to the platform's ids of it. */
  send(message: Outgoing, signal: AbortSignal): Promise<{readonly ids: readonly string[]}>
  /** Replaces the content of one message. */
  edit?(edit: Edit, signal: AbortSignal): Promise<void>
  delete?(message: Referred, signal: AbortSignal): Promise<void>
  react?(reaction: Reaction, signal: AbortSignal): Promise<void>
  /** Takes back a reaction of the bot. */
  unreact?(reaction: Reaction, signal: AbortSignal): Promise<void>
  /** Shows for a few seconds that the bot is writing. Best effort. */
  typing?(channel: string, signal: AbortSignal): Promise<void>
  /** The direct channel to a user, made if there is none. */
  open?(user: string, signal: AbortSignal): Promise<Channel>
  /**
   * With `history: "none"` the Host fetches by this what was missed in a gap, and `endpoint.receive` waits meanwhile: do not wait
   * for `receive` inside `open`, nor where this answer comes in behind it. An event has the same `id` as it has live.
   */
  history?(query: HistoryQuery, signal: AbortSignal): Promise<HistoryPage>
  /**
   * Gives one file to the platform, and resolves to what `src` is to be in the message that shows it: an address or an id of the
   * platform. The Host asks for it before `send` and `edit`, in the same attempt, once for each file of the message.
   */
  upload?(upload: Upload, signal: AbortSignal): Promise<string>
  /**
   * Opens a file of a message with the account's own access; undefined leaves it to the Host, which reads `http:` and `https:` of
   * the Internet, and `data:`. Send credentials to the platform's own addresses only: look at `src` first, and at redirects. The
   * Host counts the bytes, cancels the body, and aborts `signal` at the end of the handler that reads. An answer that is not ok
   * makes the file unavailable.
   */
  download?(file: FileRef, signal: AbortSignal): Promise<ReadableStream<Uint8Array> | Response | undefined>
  /** Replaces the list of the bot's commands that the platform shows. */
  commands?(commands: readonly CommandSummary[], signal: AbortSignal): Promise<void>
  /**
   * A method of Satori v1 (`guild.member.mute`) with its parameters; resolves to its answer. Those in `features`. `id` is the
   * outbox id, the same for every attempt; undefined where a client only asks and nothing is stored.
   */
  call?(method: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal, id?: string): Promise<unknown>
  /**
   * So many milliseconds ago, all that the platform had was handed to `endpoint.receive`: what an interval that the Host
   * lists as a gap begins earlier by. Must be quick. Left out, it is taken for 10,000.
   */
  lag?(): number
  /**
   * Resolves once all that the platform had at the call was handed to `endpoint.receive`; `lag` says so from then on. Asked
   * for before a planned stop, which waits a second for it, so that what was on its way still comes in. Without it and
   * without `lag`, a planned stop takes it that nothing was.
   */
  catchUp?(signal: AbortSignal): Promise<void>
}

/** An optional act of `Sender`. */
export const senderFeatures = [
  "edit",
  "delete",
  "react",
  "unreact",
  "typing",
  "open",
  "history",
  "upload",
  "download",
  "commands",
] as const
export type SenderFeature = (typeof senderFeatures)[number]

/**
 * What messages may hold on a platform, beside text. `buttons`: `send` and `edit` show `button` elements, and a press comes in
 * as `interaction/button`. Without it the Host makes a numbered list of them. `selects`, which needs `buttons`: they show a
 * `select` element with `option` elements in it, and what a user chooses comes in as a press does. Without it the options are
 * buttons. `forms`, which needs `buttons`: they show a `form` element with `field` elements in it, and what a user fills in comes in
 * as the press of the form with its values. Without it the Host asks one field after another. `files`: `send` and `edit` take elements whose `src` is a stored file.
 */
export const contentFeatures = ["buttons", "selects", "forms", "files"] as const
export type ContentFeature = (typeof contentFeatures)[number]

/** An act, what messages may hold, or a Satori method such as `guild.member.mute`. */
export type Feature = SenderFeature | ContentFeature | `${string}.${string}`

export interface Limits {
  /**
   * The longest text of one message, in UTF-16 code units of its plain text (`textOf`). The Host sends longer ones in parts,
   * each a call of `send`; an element that alone is longer comes as a part of its own.
   */
  readonly text?: number
  /** The largest file, in bytes. A larger one is refused before anything of it is stored (`file_too_large`). */
  readonly file?: number
}

/** At most so many messages begin within any `per` milliseconds. */
export interface RateLimit {
  readonly messages: number
  readonly per: number
}
