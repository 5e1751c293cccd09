import type {Static, TSchema} from "../../type.ts"
import type {Element} from "../content/elements.ts"
import type {Handle} from "../session/handle.ts"
import type {Permission} from "../session/permission.ts"
import type {Reply, Session} from "../session/session.ts"

/** The options of `plugin.action`: what its buttons keep, and who may press them and for how long. */
export interface ActionDefinition<D extends TSchema = TSchema> {
  /** The schema of the data that a button keeps. svc checks it when the button is made and again when it is pressed. */
  readonly data?: D
  /**
   * How many seconds a button works, from its message's storage or planned send time; at most 30 days. With `never` it
   * works as long as its message shows it. An hour when left out.
   */
  readonly expires?: number | "never"
  /** With `true`, one press counts for all buttons of this action in a message. Any number counts when left out. */
  readonly once?: boolean
  /** `asked`: only the user to whom the message replies or is sent may press. `anyone` when left out. */
  readonly who?: "anyone" | "asked"
  /** The permission that a user needs to press. Without it, svc refuses the press, which does not count for `once`. */
  readonly permission?: Permission
}

export interface ActionCall<D> {
  /** The data kept with the button. It never comes from the platform. */
  readonly data: D
  /** The press's session: its user and channel. On a platform without buttons, that of the message with the number. */
  readonly session: Session
}

export type ActionHandler<D> = (call: ActionCall<D>) => Reply

export interface ButtonOptions {
  /** How the button looks, on platforms that support styles. */
  readonly style?: "primary" | "secondary" | "danger"
}

/** One option of a select menu: the text that users read, and the data that the option keeps. */
export interface SelectOption<D> {
  readonly label: string
  readonly data: D
}

export interface SelectOptions {
  /** The text that the menu shows before a choice, on platforms with menus. */
  readonly placeholder?: string
}

/** An action declared with `plugin.action`. */
export interface ActionHandle<D = unknown> extends Handle<"action", D> {
  /**
   * Returns a button that triggers the action with this data. Use it in `send` and everywhere else that accepts
   * content. Throws `content_invalid` if the data does not fit the schema or is longer than 64 KiB as JSON, or if there
   * is no label.
   */
  button(data: D, label: string, options?: ButtonOptions): Element
  /**
   * Returns a menu of 1 to 25 buttons, from which a user chooses one at a time: a `select` element whose children are
   * the buttons. Platforms without menus show the buttons in a row. Throws `content_invalid` as `button` does.
   */
  select(options: readonly SelectOption<D>[], more?: SelectOptions): Element
  /**
   * Returns the value for the attribute `id` of `h("button", {id}, …)`. Use it in messages that this run of the Host
   * stores; the platform receives a short id from the Host instead. Throws `content_invalid`.
   */
  id(data: D): string
}

/** `plugin.action`; see `Plugin`. */
export interface DeclareAction {
  (name: string, handler: ActionHandler<unknown>): ActionHandle
  <D extends TSchema>(
    name: string,
    definition: ActionDefinition<D>,
    handler: ActionHandler<Static<D>>,
  ): ActionHandle<Static<D>>
}
