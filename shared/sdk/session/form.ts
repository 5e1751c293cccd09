import type {Element} from "../content/elements.ts"

/** A form declared with `plugin.form`; `session.form` starts it. */
export interface FormHandle<D = unknown> {
  readonly name: string
  /** Returns a button that starts the form, for everything that accepts content. Throws `content_invalid`. */
  button(data: D, label: string): Element
}
