import type {Static, TSchema} from "../../type.ts"
import type {FormHandle} from "../session/handle.ts"
import type {Reply, Session} from "../session/session.ts"
import type {LocalText} from "../text/texts.ts"
import type {ActionDefinition} from "./action.ts"

/** The declaration of a form: its fields, and the options that an action has for its buttons. */
export interface FormDefinition<F extends TSchema = TSchema, D extends TSchema = TSchema> extends ActionDefinition<D> {
  /**
   * An object schema of 1 to 25 fields, asked in order: text, number, whole number, boolean, or one of several
   * literals. Users may skip an optional field. `title` is the question, `description` appears below it; both are plain
   * text.
   */
  readonly fields: F
  /** The question of each field, instead of `title`: texts of `plugin.texts`, or plain text. */
  readonly labels?: {readonly [K in keyof Static<F>]?: string | LocalText}
  /** What users read for a field's literals: texts of `plugin.texts`, or plain text. They may answer with either. */
  readonly choices?: {
    readonly [K in keyof Static<F>]?: {readonly [C in Static<F>[K] & (string | number)]?: string | LocalText}
  }
  /**
   * How many seconds each question waits for an answer, and the form's button works; an hour when left out. With
   * `never` the button works as long as its message shows it, and each question waits for an hour.
   */
  readonly expires?: number | "never"
  /** The word that cancels the form, as with `plugin.prompt`. */
  readonly cancel?: string
}

export interface FormCall<V, D> {
  /** The user's answers, which fit the schema of the fields. A skipped field has its default or is missing. */
  readonly values: V
  /** The data kept with the form. It never comes from the platform. */
  readonly data: D
  /** The session of the last answer. */
  readonly session: Session
}

export type FormHandler<V, D> = (call: FormCall<V, D>) => Reply

/** `plugin.form`; see `Plugin`. */
export type DeclareForm = <F extends TSchema, D extends TSchema = TSchema>(
  name: string,
  definition: FormDefinition<F, D>,
  handler: FormHandler<Static<F>, Static<D>>,
) => FormHandle<Static<D>>
