import type {ArgumentType} from "../../../shared/sdk/command.ts"

/** One value of an argument or an option. */
export type Value = string | number | boolean

/** What an argument or an option takes. */
export interface Taking {
  readonly type: ArgumentType
  readonly choices?: readonly Value[] | undefined
}

/** A word as a value of the type, or as the choice that it names in any case; undefined where it is none. */
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

/** `Number` takes an empty text for 0. */
const isNumeric = (word: string) => word.trim() !== ""

/** Of words that each must be a value: the values, or the first word that is none. Nothing is a value where `takesEmpty`. */
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

/** The parts of a list in one word: `1,2,3`. */
export const partsOf = (word: string): readonly string[] => word.split(",").map(part => part.trim())

/** Two texts that differ in case only are one choice, as a user writes it. */
export const isTwice = (choice: Value, index: number, choices: readonly Value[]): boolean =>
  choices.findIndex(other => String(other).toLowerCase() === String(choice).toLowerCase()) < index
