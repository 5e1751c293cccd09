import type {Channel, Message, User} from "../satori.ts"

/** What an adapter hands to `endpoint.receive`: a Satori event without what the Host adds. */
export interface Incoming {
  /** The platform's id of this event. The same id again is stored once. */
  readonly id: string
  readonly type: string
  /**
   * Milliseconds since 1970; now when left out. An adapter with `history: "replay"` gives it (`DatedIncoming`): after a restore
   * it tells what the replaced state had handled, and what is too old to be known if it comes again.
   */
  readonly timestamp?: number
  readonly channel?: Channel
  readonly guild?: {readonly id: string; readonly name?: string}
  readonly user?: User
  /** `content` in Satori elements; `renderContent` makes it from a tree or plain text. */
  readonly message?: Message
  /** Of `reaction-added` and `reaction-removed`: the emoji, as `react` takes it. */
  readonly emoji?: {readonly id: string; readonly name?: string}
  /** Of `interaction/button`: what was pressed, by the id that `send` got with the button. */
  readonly button?: {readonly id: string}
  /** Of `interaction/button`, where a form was filled in: the text of each field, by its name. */
  readonly form?: {readonly values: Readonly<Record<string, string>>}
  /** The platform's own name of the event, and its payload as it came, stored beside the event. */
  readonly raw?: {readonly type: string; readonly data: unknown}
}

/** What an adapter hands over whose platform replays. */
export interface DatedIncoming extends Incoming {
  readonly timestamp: number
}
