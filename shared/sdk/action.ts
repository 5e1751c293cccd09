import type {Static, TSchema} from "../type.ts"
import type {Element} from "./elements.ts"
import type {Reply, Session} from "./session.ts"

/** What `setup` declares of an action: what its buttons keep, and who may press them when. */
export interface ActionDefinition<D extends TSchema = TSchema> {
  /** The schema of what a button keeps; checked when the button is made, and again when it is pressed. */
  readonly data?: D
  /** Seconds for which a button works, from when its message is stored, or from its time where it is sent later; an hour when left out. */
  readonly expires?: number
  /** Of the buttons of this action in one message, one is pressed, once; any number of presses when left out. */
  readonly once?: boolean
  /** `asked`: only the user whom the message answers, or to whom it goes; `anyone` when left out. */
  readonly who?: "anyone" | "asked"
}

export interface ActionCall<D> {
  /** What was kept with the button: nothing of it comes from the platform. */
  readonly data: D
  /** Of the press: its user, its channel. Where the platform has no buttons, of the message with the number. */
  readonly session: Session
}

export type ActionHandler<D> = (call: ActionCall<D>) => Reply

export interface ButtonOptions {
  /** How the button looks, where the platform has that. */
  readonly style?: "primary" | "secondary" | "danger"
}

/** One of a select menu: what people read, and what it keeps. */
export interface SelectOption<D> {
  readonly label: string
  readonly data: D
}

export interface SelectOptions {
  /** What the menu shows before something is chosen, where the platform has menus. */
  readonly placeholder?: string
}

/** An action as `plugin.action` declared it. */
export interface ActionHandle<D = unknown> {
  readonly name: string
  /**
   * A button that does the action with this data, for `send` and everything else that takes content. Throws `content_invalid`
   * where the data does not fit the schema or is too long (64 KiB as JSON), or there is no label.
   */
  button(data: D, label: string, options?: ButtonOptions): Element
  /**
   * A menu of 1 to 25 buttons, of which a user chooses one at a time: an element `select` whose children are the buttons. Where
   * a platform has no menus, they stand in a row. Throws `content_invalid` as `button` does.
   */
  select(options: readonly SelectOption<D>[], more?: SelectOptions): Element
  /**
   * What `button` puts into the attribute `id`, for `h("button", {id}, …)`. For one message, or several, that this run of the
   * Host stores: the platform gets a short id of the Host's instead. Throws `content_invalid`.
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
