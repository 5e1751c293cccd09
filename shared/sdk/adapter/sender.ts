import type {Element, Node} from "../content/elements.ts"
import type {StoredFile} from "../content/file-source.ts"
import type {Channel} from "../content/satori.ts"
import type {DatedIncoming, Incoming} from "./incoming.ts"

export interface Outgoing {
  /**
   * The outbox id, the same for every attempt. If the Host splits a message by `limits.text`, this is the id of the
   * first part. The other parts have `<id>.2`, `<id>.3` and so on, also the same for every attempt.
   */
  readonly id: string
  readonly channel: string
  readonly content: readonly Node[]
  /** True if an earlier attempt has begun: the platform may have this message or part. Left out at the first. */
  readonly repeated?: boolean
}

/** One message of a platform, as an act refers to it. */
export interface Referred {
  /** The outbox id of the act, the same for every attempt. */
  readonly id: string
  readonly channel: string
  /** The platform's id of the message. */
  readonly message: string
  /** As in `Outgoing`. */
  readonly repeated?: boolean
}

export interface Reaction extends Referred {
  readonly emoji: string
}

export interface Edit extends Referred {
  readonly content: readonly Node[]
}

/** A file of a received message. */
export interface FileRef {
  /** `img`, `audio`, `video` or `file`, as the adapter wrote it. */
  readonly element: Element
  /** Its `src`, if it has one. The author of the message may have chosen it. */
  readonly src?: string
  readonly channel?: string
  /** The platform's id of the message. */
  readonly message?: string
}

/** Selects messages of one channel: `before` or `after` the platform's id of one, or the newest if neither is set. */
export interface HistoryQuery {
  readonly channel: string
  readonly before?: string
  readonly after?: string
  /** The most messages to return. */
  readonly limit: number
}

export interface HistoryPage {
  /** In the order in which they were sent. */
  readonly events: readonly DatedIncoming[]
  /** True if the platform has more in that direction. */
  readonly more: boolean
}

/** A command of the bot, as a platform shows it to users. */
export interface CommandSummary {
  readonly name: string
  readonly description: string
}

/** A stored file of a message, and the channel that the message goes to. */
export interface Upload {
  readonly file: StoredFile
  readonly channel: string
}

/** The acts of one connected account. An adapter declares in `features` which optional acts it has. */
export interface Sender {
  /** Sends a message. Resolves to the platform's ids of it when the platform has accepted it. */
  send(message: Outgoing, signal: AbortSignal): Promise<{readonly ids: readonly string[]}>
  /** Replaces the content of one message. */
  edit?(edit: Edit, signal: AbortSignal): Promise<void>
  delete?(message: Referred, signal: AbortSignal): Promise<void>
  react?(reaction: Reaction, signal: AbortSignal): Promise<void>
  /** Removes one of the bot's reactions. */
  unreact?(reaction: Reaction, signal: AbortSignal): Promise<void>
  /** Shows for a few seconds that the bot is typing. Best effort. */
  typing?(channel: string, signal: AbortSignal): Promise<void>
  /** Returns the direct channel to a user, and creates it if there is none. */
  open?(user: string, signal: AbortSignal): Promise<Channel>
  /**
   * Returns the id, in events, of the channel to which the message with a pressed button was sent; undefined if the
   * press comes from another channel. The Host asks if `sent` is not the id of the press's channel, but a name of it,
   * or the channel of its thread. Must be quick. When left out, the press does nothing.
   */
  channelOf?(sent: string, press: Incoming): string | undefined
  /**
   * Returns past messages. With `history: "none"` the Host uses it to fetch messages missed in a gap, and
   * `endpoint.receive` waits meanwhile. Do not wait for `receive` inside `open`, or where it would delay this response.
   * An event has the same `id` here as live.
   */
  history?(query: HistoryQuery, signal: AbortSignal): Promise<HistoryPage>
  /**
   * Uploads one file. Resolves to the `src` of the element that shows it: an address or an id of the platform. The Host
   * calls it before `send` and `edit`, in the same attempt, once for each file of the message.
   */
  upload?(upload: Upload, signal: AbortSignal): Promise<string>
  /**
   * Opens a file of a message with the account's own access. Return undefined to leave it to the Host, which reads
   * `data:`, and `http:` and `https:` on the Internet. Send credentials only to the platform's own addresses: check
   * `src` and redirects first. The Host counts the bytes, cancels the body, and aborts `signal` when the reading
   * handler ends. A response that is not ok makes the file unavailable.
   */
  download?(file: FileRef, signal: AbortSignal): Promise<ReadableStream<Uint8Array> | Response | undefined>
  /** Replaces the list of the bot's commands that the platform shows. */
  commands?(commands: readonly CommandSummary[], signal: AbortSignal): Promise<void>
  /**
   * Calls a Satori v1 method from `features`, such as `guild.member.mute`, or one of `methods`, such as
   * `telegram/pinChatMessage`, and resolves to its response. `id` is the outbox id, the same for every attempt; undefined
   * for a call that the Host does not store.
   */
  call?(method: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal, id?: string): Promise<unknown>
  /**
   * Returns how many milliseconds ago everything that the platform had was known to be passed to `endpoint.receive`. A
   * gap starts that much earlier. Must be quick. When left out, the Host assumes 10,000.
   */
  lag?(): number
  /**
   * Resolves once everything that the platform had at the time of the call was passed to `endpoint.receive`; `lag`
   * reflects this afterwards. The Host calls it before a planned stop and waits a second for it, so that messages in
   * transit still arrive. Without it and without `lag`, the Host assumes at a planned stop that none were in transit.
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
 * What messages on a platform may contain in addition to text.
 *
 * - `buttons`: `send` and `edit` show `button` elements, and a press arrives as `interaction/button`. Without it the
 *   Host turns them into a numbered list.
 * - `selects` (needs `buttons`): they show a `select` element with `option` elements, and a choice arrives like a
 *   press. Without it the options are buttons.
 * - `forms` (needs `buttons`): they show a `form` element with `field` elements, and a filled-in form arrives like a
 *   press of the form, with its values. Without it the Host asks one field after another.
 * - `files`: `send` and `edit` accept elements whose `src` is a stored file.
 */
export const contentFeatures = ["buttons", "selects", "forms", "files"] as const
export type ContentFeature = (typeof contentFeatures)[number]

/** An act, a kind of content, or a Satori method such as `guild.member.mute`. */
export type Feature = SenderFeature | ContentFeature | `${string}.${string}`

export interface Limits {
  /**
   * The longest text of one message, in UTF-16 code units of its plain text (`textOf`). The Host sends longer ones in
   * parts, with one `send` for each. An element that is longer by itself becomes a separate part.
   */
  readonly text?: number
  /** The largest file, in bytes. The Host rejects a larger one before it stores any of it (`file_too_large`). */
  readonly file?: number
}

/** At most `messages` messages start within any `per` milliseconds. */
export interface RateLimit {
  readonly messages: number
  readonly per: number
}
