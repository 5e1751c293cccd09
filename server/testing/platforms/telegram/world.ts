import type {Pins} from "../fake/shown.ts"
import type {Shown} from "./chats.ts"
import type {Fields, Form, FormFile} from "./form.ts"
import type {Updates} from "./updates.ts"

/** A method's answer: a result, or an error of the Bot API. */
export type Answer =
  | {readonly result: unknown}
  | {
      readonly code: number
      readonly description: string
      readonly parameters?: {readonly retry_after?: number; readonly migrate_to_chat_id?: number}
    }

/** The state of the fake. */
export interface World {
  readonly updates: Updates
  readonly sent: Shown[]
  /** People's files, by id. */
  readonly files: Map<string, FormFile>
  /** The messages of people, by their ids. */
  readonly said: Map<string, Fields>
  readonly pins: Pins
  /** Users who have blocked the bot, and groups that have become supergroups. */
  readonly blocked: Set<string>
  readonly moved: Map<string, number>
  /** How many seconds the next send must wait; each value applies once. */
  refuses(): number | undefined
  nextId(): number
}

const longest = {text: 4096, caption: 1024} as const
export const wrong = (description: string): Answer => ({code: 400, description: `Bad Request: ${description}`})

/** Why a chat accepts no message. */
export const whyNot = ({blocked, moved}: World, chat: string): Answer | undefined => {
  const to = moved.get(chat)
  if (to !== undefined)
    return {
      code: 400,
      description: "Bad Request: group chat was upgraded to a supergroup chat",
      parameters: {migrate_to_chat_id: to},
    }
  return blocked.has(chat) ? {code: 403, description: "Forbidden: bot was blocked by the user"} : undefined
}

export const refusal = (world: World, {chat_id, text, caption}: Fields, isText: boolean): Answer | undefined => {
  const not = whyNot(world, String(chat_id))
  if (not !== undefined) return not
  if (isText && String(text ?? "").trim() === "") return wrong("message text is empty")
  if (String(text ?? "").length > longest.text) return wrong("message is too long")
  if (String(caption ?? "").length > longest.caption) return wrong("message caption is too long")
  const wait = world.refuses()
  if (wait === undefined) return undefined
  return {code: 429, description: `Too Many Requests: retry after ${wait}`, parameters: {retry_after: wait}}
}

export type Method = (world: World, form: Form) => Answer | Promise<Answer>

export const placeOf = ({sent}: World, {chat_id, message_id}: Fields): number =>
  sent.findIndex(({id, chat}) => id === String(message_id) && chat === String(chat_id))
