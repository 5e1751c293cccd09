import {fieldsOf} from "../../../shared/sdk/session/values.ts"
import {keyOf, trimSpace} from "../../../shared/sdk/text/typed.ts"
import {explainValue} from "../../runtime/text/explain.ts"
import {convert, shownWord, type Value} from "../arguments/value.ts"
import {describe} from "../command/command.ts"
import type {HostTexts, Say} from "../texts/host-texts.ts"
import type {HostText} from "../texts/tables.ts"
import type {Field} from "./fields.ts"

/** The result of reading a user's text for a field: a value, null if it is skipped, or a sentence about the mistake. */
export type Answer = {readonly value: Value | null} | {readonly wrong: string}

/** The longest text if its schema sets no limit, in characters. */
const longestText = 4000

export const readAnswer = (field: Field, text: string, texts: HostTexts, language: string): Answer => {
  const say = texts.in(language)
  const given = trimSpace(text)
  const key = keyOf(given)
  if (!field.isRequired && (key === "" || texts.wordsOf("form.skip").has(key))) return {value: null}
  if (key === "") return {wrong: say("form.missing")}
  const word = shownWord(given)
  const value =
    field.type === "boolean" ? booleanOf(given, texts) : (convert(field, given) ?? choiceOf(field, key, language))
  if (value === undefined) return {wrong: say("form.type", {type: typeOf(field, say, language), word})}
  const wrong = whyUnfit(field, value, word, say)
  return wrong === undefined ? {value} : {wrong}
}

/** Returns whether an already stored value still fits. */
export const fits = (field: Field, value: unknown): boolean =>
  value === null ? !field.isRequired : explainValue(field.schema, value).length === 0

/** Describes what a field accepts: `a whole number`, `yes or no`, `S, M or L`. */
export const typeOf = (field: Field, say: Say, language: string): string => {
  if (field.type === "boolean") return say("type.choices", {choices: say("form.yes"), last: say("form.no")})
  return describe({type: field.type, choices: field.choices?.map(choice => field.choiceIn(choice, language))}, say)
}

/** Returns the choice that users read as this. */
const choiceOf = ({choices = [], choiceIn}: Field, key: string, language: string): Value | undefined =>
  choices.find(choice => keyOf(trimSpace(choiceIn(choice, language))) === key)

/** In any language, because people mix them. */
const booleanOf = (word: string, texts: HostTexts): boolean | undefined => {
  const said = keyOf(word)
  if (texts.wordsOf("form.yes").has(said)) return true
  if (texts.wordsOf("form.no").has(said)) return false
  return convert({type: "boolean"}, word) as boolean | undefined
}

/** The limits of JSON Schema that have their own sentence. For a text, its length counts. */
const limits: readonly (readonly [string, HostText, (size: number, limit: number) => boolean])[] = [
  ["minimum", "form.least", (size, limit) => size < limit],
  ["maximum", "form.most", (size, limit) => size > limit],
  ["exclusiveMinimum", "form.above", (size, limit) => size <= limit],
  ["exclusiveMaximum", "form.below", (size, limit) => size >= limit],
  ["minLength", "form.short", (size, limit) => size < limit],
  ["maxLength", "form.long", (size, limit) => size > limit],
]

const whyUnfit = (field: Field, value: Value, word: string, say: Say): string | undefined => {
  const schema = {
    ...(typeof value === "string" && field.choices === undefined ? {maxLength: longestText} : {}),
    ...fieldsOf(field.schema),
  }
  const size = typeof value === "string" ? [...value].length : Number(value)
  for (const [keyword, key, breaks] of limits) {
    const limit = fieldsOf(schema)[keyword]
    const isOfKind = keyword.endsWith("Length") === (typeof value === "string")
    if (typeof limit === "number" && isOfKind && breaks(size, limit)) return say(key, {limit})
  }
  return explainValue(field.schema, value).length === 0 ? undefined : say("form.unfit", {word})
}
