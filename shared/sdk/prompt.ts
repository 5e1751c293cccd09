import type {Static, TSchema} from "../type.ts"
import type {Reply, Session} from "./session.ts"

/** A continuation that `setup` declares: what is done when a question is answered. */
export interface PromptDefinition<D extends TSchema> {
  /** The schema of what is kept with the question; checked when it is asked, and again when it is answered. */
  readonly data?: D
  /** Seconds for which an answer is waited for; an hour when left out. */
  readonly expires?: number
  /** The word that ends the question without an answer; `cancel` in any language of svc's texts when left out, "" for none. */
  readonly cancel?: string
  /** Takes a message that begins with a prefix, or calls a command, for the answer too; false when left out. */
  readonly takesCommands?: boolean
}

export interface PromptCall<D> {
  /** The message as plain text, without the bot's name before it. */
  readonly answer: string
  /** What was kept with the question. */
  readonly data: D
  /** Of the answer, not of the message that led to the question. */
  readonly session: Session
}

export type PromptHandler<D> = (call: PromptCall<D>) => Reply

/** `plugin.prompt`; see `Plugin`. */
export interface DeclarePrompt {
  (name: string, handler: PromptHandler<unknown>): void
  <D extends TSchema>(name: string, definition: PromptDefinition<D>, handler: PromptHandler<Static<D>>): void
}
