import type {ArgumentType} from "../../../shared/sdk/command.ts"

/** One value of an argument or an option. */
export type Value = string | number | boolean

/** The values that an argument or an option accepts. */
export interface Taking {
  readonly type: ArgumentType
  readonly choices?: readonly Value[] | undefined
}

/** Converts a word to a value of the type, or to the choice that it names in any case; undefined if it is not one. */
export const convert = ({type, choices}: Taking, word: string): Value | undefined => {
  const value = convertTo(type, word)
  if (choices === undefined || value === undefined) return value
  return choices.find(choice =>
    typeof choice === "string" ? choice.toLowerCase() === word.toLowerCase() : choice === value,
  )
}

const convertTo = (type: ArgumentType, word: string): Value | undefined => {
  switch (type) {
    case "number":
      return isNumeric(word) && Number.isFinite(Number(word)) ? Number(word) : undefined
    case "integer":
      return isNumeric(word) && Number.isSafeInteger(Number(word)) ? Number(word) : undefined
    case "boolean":
      return /^(yes|true|on|1)$/i.test(word) ? true : /^(no|false|off|0)$/i.test(word) ? false : undefined
    default:
      return word
  }
}

/** `Number` reads an empty text as 0. */
const isNumeric = (word: string) => word.trim() !== ""

/**
 * Converts words that must each be a value: returns the values, or the first word that is not one. An empty word is a
 * value only with `takesEmpty`.
 */
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
export const partsOf = (word: string): readonly string[] => word.split(",").map(part => part.trim())

/** Returns whether a choice repeats an earlier one. Texts that differ only in case are the same choice. */
export const isTwice = (choice: Value, index: number, choices: readonly Value[]): boolean =>
  choices.findIndex(other => String(other).toLowerCase() === String(choice).toLowerCase()) < index
