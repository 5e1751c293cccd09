import type {Static, TSchema} from "../../type.ts"
import type {PromptHandle} from "../session/handle.ts"
import type {Reply, Session} from "../session/session.ts"

/** The options of `plugin.prompt`, which declares what happens when a user answers a question. */
export interface PromptDefinition<D extends TSchema> {
  /** The schema of the data kept with the question. svc checks it when it is asked and when it is answered. */
  readonly data?: D
  /** How many seconds the question waits for an answer, at most 30 days; an hour when left out. */
  readonly expires?: number
  /** The word that cancels the question. When left out, `cancel` in any language of svc's texts; "" for none. */
  readonly cancel?: string
  /** With `true`, accepts a message that starts with a prefix or calls a command as the answer too; else false. */
  readonly takesCommands?: boolean
}

export interface PromptCall<D> {
  /** The answer as plain text, without the bot's name in front. */
  readonly answer: string
  /** The data kept with the question. */
  readonly data: D
  /** The prompt itself, to ask again: `return session.prompt(prompt, …)`. */
  readonly prompt: PromptHandle<D>
  /** The session of the answer, not of the message that led to the question. */
  readonly session: Session
}

export type PromptHandler<D> = (call: PromptCall<D>) => Reply

/** `plugin.prompt`; see `Plugin`. */
export interface DeclarePrompt {
  (name: string, handler: PromptHandler<unknown>): PromptHandle
  <D extends TSchema>(
    name: string,
    definition: PromptDefinition<D>,
    handler: PromptHandler<Static<D>>,
  ): PromptHandle<Static<D>>
}
