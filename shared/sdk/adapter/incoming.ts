import type {Channel, Guild, Message, User} from "../content/satori.ts"

/** The event that an adapter passes to `endpoint.receive`: a Satori event without the fields that the Host adds. */
export interface Incoming {
  /** The platform's id of this event. The Host stores an id only once. */
  readonly id: string
  readonly type: string
  /**
   * When the platform's server says that it was written, never the sender's device, in milliseconds since 1970; now when
   * left out. Adapters with `history: "replay"` must set it (`DatedIncoming`): after
   * a restore it shows what the replaced state had handled, and what is too old for the Host to recognize a repetition.
   */
  readonly timestamp?: number
  /** True if the platform kept it for an offline endpoint, without its time: ages count from the lost connection. */
  readonly isKept?: boolean
  readonly channel?: Channel
  readonly guild?: Guild
  readonly user?: User
  /** The message, with `content` in Satori elements; `renderContent` makes it from a tree or plain text. */
  readonly message?: Message
  /** For `reaction-added` and `reaction-removed`: the emoji, as `react` accepts it. */
  readonly emoji?: {readonly id: string; readonly name?: string}
  /** For `interaction/button`: the pressed button, by the id that `send` received with it. */
  readonly button?: {readonly id: string}
  /** For `interaction/button` from a filled-in form: the text of each field, by field name. */
  readonly form?: {readonly values: Readonly<Record<string, string>>}
  /**
   * The platform's own name of the event and its original payload. The Host stores the payload of `internal` and of types
   * with a slash that Satori does not have, and of another event until its handlers have ended, if their plugin declares
   * `raw`.
   */
  readonly raw?: {readonly type: string; readonly data: unknown}
}

/** The event of an adapter whose platform replays. */
export interface DatedIncoming extends Incoming {
  readonly timestamp: number
}
