import {toJson} from "../../../shared/json.ts"
import {Problem} from "../../../shared/problems.ts"
import {type Element, h} from "../../../shared/sdk/elements.ts"
import {fieldsOf, longestKept} from "../../../shared/sdk/values.ts"
import {makeButtonId} from "../../database/buttons/button-id.ts"
import type {HostTexts} from "../texts/host-texts.ts"
import type {Field, FormDeclaration} from "./fields.ts"

/** The values that a user filled in, by field. */
export type Filled = Readonly<Record<string, string>>

export const textIn = (given: Filled, {name}: Field): string => (Object.hasOwn(given, name) ? (given[name] ?? "") : "")

/** How many seconds a form may be filled in by default. */
const patience = 3600

interface Shown {
  readonly data: unknown
  /** The values filled in earlier. */
  readonly given: Filled
  readonly language: string
  readonly texts: HostTexts
}

/**
 * Returns a form as platforms show it: for the addressed user, once. Throws `event_invalid` if the data is too long.
 */
export const formElement = (
  {name, actionId, definition}: FormDeclaration,
  fields: readonly Field[],
  {data, given, language, texts}: Shown,
): Element => {
  const kept = toJson(data)
  if (kept.length > longestKept)
    throw new Problem(
      "event_invalid",
      `the data of the form ${name} has ${kept.length} characters as JSON; at most ${longestKept} are allowed`,
    )
  const expires = Math.round((definition.expires ?? patience) * 1000)
  const id = makeButtonId({handler: actionId, data: kept, expires, once: 1, asked: 1})
  const {title} = fieldsOf(definition.fields)
  return h(
    "form",
    {title: typeof title === "string" ? title : undefined},
    ...fields.map(field => fieldElement(field, given, language)),
    h("button", {id}, texts.in(language)("form.open")),
  )
}

/** The limits of the schema that platforms may enforce for an input. */
const limits = ["minLength", "maxLength", "minimum", "maximum"] as const

const fieldElement = (field: Field, given: Filled, language: string): Element => {
  const {name, type, choices, isRequired, description, schema} = field
  const said = fieldsOf(schema)
  const filled = textIn(given, field)
  const standard = said.default === undefined ? undefined : String(said.default)
  return h(
    "field",
    {
      name,
      label: field.labelIn(language),
      description,
      type: choices === undefined ? type : "choice",
      required: isRequired,
      value: filled === "" ? standard : filled,
      ...Object.fromEntries(limits.flatMap(key => (typeof said[key] === "number" ? [[key, said[key]]] : []))),
    },
    ...(choices ?? []).map(choice => h("option", {value: String(choice)})),
  )
}
