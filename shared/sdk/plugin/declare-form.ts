import type {Static, TSchema} from "../../type.ts"
import type {ActionDefinition} from "../action.ts"
import type {FormHandle} from "../form.ts"
import type {Reply, Session} from "../session.ts"
import type {LocalText} from "../text/texts.ts"

/** What `setup` declares of a form: its fields, and of the buttons that begin it what an action says of its buttons. */
export interface FormDefinition<F extends TSchema = TSchema, D extends TSchema = TSchema> extends ActionDefinition<D> {
  /**
   * An object schema of 1 to 25 fields, asked in their order: texts, numbers, whole numbers, booleans, or one of several literals.
   * An optional field may be left out. `title` is what the user is asked, `description` stands below it; both are plain text.
   */
  readonly fields: F
  /** What the user is asked, by field: texts of `plugin.texts`, or plain ones, before `title`. */
  readonly labels?: {readonly [K in keyof Static<F>]?: string | LocalText}
  /** Seconds for which each answer is waited for, and for which a button that begins the form works; an hour when left out. */
  readonly expires?: number
  /** The word that ends the form; as with `plugin.prompt`. */
  readonly cancel?: string
}

export interface FormCall<V, D> {
  /** What the user has answered: it fits the schema of the fields. A field that was left out has its default, or is missing. */
  readonly values: V
  /** What was kept with the form: nothing of it comes from the platform. */
  readonly data: D
  /** Of the last answer. */
  readonly session: Session
}

export type FormHandler<V, D> = (call: FormCall<V, D>) => Reply

/** `plugin.form`; see `Plugin`. */
export type DeclareForm = <F extends TSchema, D extends TSchema = TSchema>(
  name: string,
  definition: FormDefinition<F, D>,
  handler: FormHandler<Static<F>, Static<D>>,
) => FormHandle<Static<D>>
