import type {Element} from "../content/elements.ts"

/** A declaration, as `plugin.action`, `form`, `prompt` and `timer` return it. It carries the type of its data. */
export interface Handle<K extends "action" | "form" | "prompt" | "timer", D = unknown> {
  readonly kind: K
  readonly name: string
  /** Only a type; it has no value. */
  readonly data?: D
}

/** A prompt declared with `plugin.prompt`; `session.prompt` asks it. */
export type PromptHandle<D = unknown> = Handle<"prompt", D>

/** A timer declared with `plugin.timer`; `setTimer` sets it. */
export type TimerHandle<D = unknown> = Handle<"timer", D>

/** A form declared with `plugin.form`; `session.form` starts it. */
export interface FormHandle<D = unknown> extends Handle<"form", D> {
  /** Returns a button that starts the form, for everything that accepts content. Throws `content_invalid`. */
  button(data: D, label: string): Element
}
