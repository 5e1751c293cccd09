import type {FormDefinition, FormHandler} from "../../../shared/sdk/plugin/declare-form.ts"
import {fieldsOf} from "../../../shared/sdk/session/values.ts"
import {type LocalText, textIn} from "../../../shared/sdk/text/texts.ts"
import type {TSchema} from "../../../shared/type.ts"
import type {Taking, Value} from "../arguments/value.ts"

export interface FormDeclaration {
  readonly name: string
  /** The handler id of an answer. */
  readonly promptId: string
  /** The handler id of a press that starts the form. */
  readonly actionId: string
  readonly definition: FormDefinition<TSchema, TSchema>
  readonly handle: FormHandler<never, never>
}

/** One field of a form, from its schema. */
export interface Field extends Taking {
  readonly name: string
  readonly schema: TSchema
  readonly isRequired: boolean
  readonly description: string | undefined
  labelIn(language: string): string
  /** Returns what users read for one of its choices. */
  choiceIn(choice: Value, language: string): string
}

/** The most fields that users can be expected to fill in. */
const mostFields = 25

/** Returns the fields of a form, in order. Throws an `Error` that names the field and what is wrong with it. */
export const readFields = ({fields, labels, choices}: FormDefinition): readonly [Field, ...Field[]] => {
  const {properties, required} = fieldsOf(fields)
  const [first, ...others] = Object.entries(fieldsOf(properties))
  if (first === undefined || others.length >= mostFields)
    throw new Error(`fields must be Type.Object with 1 to ${mostFields} fields`)
  const given = {labels: fieldsOf(labels), choices: fieldsOf(choices)}
  const names = new Set([first, ...others].map(([name]) => name))
  for (const [key, texts] of Object.entries(given)) requireAmong(key, texts, names, "field")
  const needed: readonly unknown[] = Array.isArray(required) ? required : []
  const read = ([name, schema]: [string, unknown]) =>
    readField(name, schema, {label: given.labels[name], shown: fieldsOf(given.choices[name])}, needed.includes(name))
  return [read(first), ...others.map(read)]
}

/** Throws for a text of something that does not exist. */
const requireAmong = (at: string, texts: object, names: ReadonlySet<string>, what: string): void => {
  const stray = Object.keys(texts).find(name => !names.has(name))
  if (stray !== undefined) throw new Error(`${at}.${stray}: there is no such ${what}`)
}

interface FieldTexts {
  readonly label: unknown
  /** By choice. */
  readonly shown: Readonly<Record<string, unknown>>
}

const readField = (name: string, schema: unknown, {label, shown}: FieldTexts, isRequired: boolean): Field => {
  const {title, description} = fieldsOf(schema)
  const taking = takingOf(schema)
  if (taking === undefined)
    throw new Error(`fields.${name}: a field is text, a number, a whole number, a boolean, or one of several literals`)
  if (label !== undefined && !isText(label)) throw new Error(`labels.${name} must be text, or a text of plugin.texts`)
  requireAmong(`choices.${name}`, shown, new Set((taking.choices ?? []).map(String)), "choice")
  for (const [choice, text] of Object.entries(shown))
    if (!isText(text)) throw new Error(`choices.${name}.${choice} must be text, or a text of plugin.texts`)
  const question = label ?? (typeof title === "string" && title.trim() !== "" ? title : name)
  return {
    ...taking,
    name,
    schema: schema as TSchema,
    isRequired,
    description: typeof description === "string" ? description : undefined,
    labelIn: language => textIn(question, language) ?? name,
    choiceIn: (choice, language) => {
      const text = Object.hasOwn(shown, String(choice)) ? shown[String(choice)] : undefined
      return isText(text) ? textIn(text, language) : String(choice)
    },
  }
}

const isText = (value: unknown): value is string | LocalText =>
  typeof value === "string" || typeof fieldsOf(value).in === "function"

const takingOf = (schema: unknown): Taking | undefined => {
  const {type, anyOf, enum: listed, const: only} = fieldsOf(schema)
  const choices = Array.isArray(anyOf)
    ? anyOf.map(each => fieldsOf(each).const)
    : Array.isArray(listed)
      ? listed
      : only === undefined
        ? undefined
        : [only]
  if (choices !== undefined) return takingOneOf(choices)
  if (type === "string") return {type: "text"}
  return type === "number" || type === "integer" || type === "boolean" ? {type} : undefined
}

const takingOneOf = (choices: readonly unknown[]): Taking | undefined => {
  if (choices.length === 0) return undefined
  if (choices.every(choice => typeof choice === "string" && choice.trim() !== ""))
    return {type: "text", choices: choices as readonly Value[]}
  return choices.every(choice => typeof choice === "number")
    ? {type: "number", choices: choices as readonly Value[]}
    : undefined
}
