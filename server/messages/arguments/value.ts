import type {ArgumentType} from "../../../shared/sdk/session/command.ts"
import {inAscii, keyOf, trimSpace} from "../../../shared/sdk/text/typed.ts"

export type Value = string | number | boolean

/** The values that an argument or an option accepts. */
export interface Taking {
  readonly type: ArgumentType
  readonly choices?: readonly Value[] | undefined
}

/** Converts a word to a value of the type, or to the choice that it names; undefined if it is not one. */
export const convert = ({type, choices}: Taking, word: string): Value | undefined => {
  const value = convertTo(type, word)
  if (choices === undefined || value === undefined) return value
  const key = keyOf(word)
  return choices.find(choice => (typeof choice === "string" ? keyOf(choice) === key : choice === value))
}

const convertTo = (type: ArgumentType, word: string): Value | undefined => {
  if (type === "string" || type === "text") return word
  const plain = inAscii(word)
  if (type === "boolean")
    return /^(yes|true|on|1)$/i.test(plain) ? true : /^(no|false|off|0)$/i.test(plain) ? false : undefined
  // `Number` reads an empty text as 0.
  const value = plain.trim() === "" ? Number.NaN : Number(plain)
  return (type === "integer" ? Number.isSafeInteger(value) : Number.isFinite(value)) ? value : undefined
}

/** Returns the values of words, or the first word that is none. `takesEmpty`: an empty word is a value. */
export const convertEach = (
  taking: Taking,
  words: readonly string[],
  takesEmpty = false,
): {readonly values: readonly Value[]} | {readonly wrong: string} => {
  const values: Value[] = []
  for (const word of words) {
    const value = word === "" && !takesEmpty ? undefined : convert(taking, word)
    if (value === undefined) return {wrong: word}
    values.push(value)
  }
  return {values}
}

/** Returns the parts of a list in one word: `1,2,3`. */
export const partsOf = (word: string): readonly string[] => word.split(/[,，、،]/).map(trimSpace)

/** How much of a wrong word a refusal repeats, in characters. */
const mostShown = 60

export const shownWord = (word: string): string =>
  word.length > mostShown ? `${word.slice(0, mostShown - 1).toWellFormed()}…` : word

/** Returns whether a choice repeats an earlier one. Texts that differ only in case are the same choice. */
export const isTwice = (choice: Value, index: number, choices: readonly Value[]): boolean =>
  choices.findIndex(other => keyOf(String(other)) === keyOf(String(choice))) < index
