import type {Pins} from "../fake/shown.ts"
import type {Shown} from "./chats.ts"
import type {Fields, Form, FormFile} from "./form.ts"
import type {Updates} from "./updates.ts"

/** A method's answer: a result, or an error of the Bot API. */
export type Answer = {readonly result: unknown} | {readonly code: number; readonly description: string}

export interface World {
  readonly updates: Updates
  readonly sent: Shown[]
  /** People's files, by id. */
  readonly files: Map<string, FormFile>
  /** The messages of people, by their ids. */
  readonly said: Map<string, Fields>
  readonly pins: Pins
  nextId(): number
}

const longest = {text: 4096, caption: 1024} as const
export const wrong = (description: string): Answer => ({code: 400, description: `Bad Request: ${description}`})

/** Why Telegram accepts no such message. */
export const refusal = ({text, caption}: Fields, isText: boolean): Answer | undefined => {
  if (isText && String(text ?? "").trim() === "") return wrong("message text is empty")
  if (String(text ?? "").length > longest.text) return wrong("message is too long")
  return String(caption ?? "").length > longest.caption ? wrong("message caption is too long") : undefined
}

export type Method = (world: World, form: Form) => Answer | Promise<Answer>

export const placeOf = ({sent}: World, {chat_id, message_id}: Fields): number =>
  sent.findIndex(({id, chat}) => id === String(message_id) && chat === String(chat_id))
