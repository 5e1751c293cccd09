import type {Element} from "./elements.ts"

/** A form as `plugin.form` declared it; `session.form` begins it. */
export interface FormHandle<D = unknown> {
  readonly name: string
  /** A button that begins the form, for everything that takes content. Throws `content_invalid` as a button of an action does. */
  button(data: D, label: string): Element
}
