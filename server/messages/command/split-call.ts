import type {OptionDefinition} from "../../../shared/sdk/session/command.ts"
import {dash, invisible, keyOf, trimSpace} from "../../../shared/sdk/text/typed.ts"
import {shownWord} from "../arguments/value.ts"
import type {Say} from "../texts/host-texts.ts"
import type {HostText} from "../texts/tables.ts"
import {type Word, Words} from "./words.ts"

/** An option of a call. The value of a boolean is no text. */
export interface Given {
  readonly name: string
  readonly value: string | boolean
}

export interface Split {
  readonly words: readonly string[]
  /** What a `text` argument gets: what the user typed, unchanged. */
  readonly text?: string
  readonly options: readonly Given[]
}

interface Misuse {
  readonly why: string
}

type Options = Readonly<Record<string, OptionDefinition>>

/** Reads a word, and the next one if that is its value. Returns undefined if the word is no option. */
type Read = (word: Word) => readonly Given[] | Misuse | undefined

/** A word such as `--name=value`. A number with a sign is none. */
const dashed = new RegExp(
  String.raw`^[${invisible}]*([${dash}]{1,2})(?![${dash}]|[.．\u066b]?\p{Nd})([^=＝]+)(?:[=＝](.*))?$`,
  "su",
)
const readNone: Read = () => undefined

/**
 * Splits the text after a command's words. A `text` argument comes after `textAt` words; it begins with its first word
 * and ends before the options at the end of the call. Without `options`, nothing is an option.
 */
export const splitCall = (rest: string, textAt: number, options: Options | undefined, say: Say): Split | Misuse => {
  const line = new Words(rest)
  const words: string[] = []
  const given: Given[] = []
  let read = options === undefined ? readNone : readerOf(line, options, say)
  for (let word = line.take(); word !== undefined; word = line.take()) {
    if (read !== readNone && rest.slice(word.from, word.to) === "--") {
      read = readNone
      continue
    }
    const found = read(word)
    if (found === undefined) {
      if (words.length === textAt) return {words, ...splitText(rest, word, line, read, given)}
      words.push(word.text)
    } else if ("why" in found) return found
    else given.push(...found)
  }
  return {words, options: given}
}

/** Splits a text, which is prose, from the options after it. */
const splitText = (rest: string, first: Word, line: Words, read: Read, before: readonly Given[]) => {
  const last: Given[] = []
  let end = rest.length
  line.putBack(first)
  line.take(true)
  for (let word = line.take(true); word !== undefined; word = line.take(true)) {
    const found = read(word)
    if (found === undefined || "why" in found) last.length = 0
    else {
      if (last.length === 0) end = word.from
      last.push(...found)
    }
  }
  const text = trimSpace(rest.slice(first.from, last.length === 0 ? rest.length : end))
  return {text, options: [...before, ...last]}
}

const readerOf = (line: Words, options: Options, say: Say): Read => {
  const known = Object.entries(options).flatMap(([name, option]) => [
    {called: name, name, option, value: true},
    ...(option.type === "boolean" && option.default === true
      ? [{called: `no-${name}`, name, option, value: false}]
      : []),
  ])
  const refuse = (key: HostText, option: string, example = ""): Misuse => ({
    why: say(key, {option: `'${option}'`, example}),
  })

  /** Finds an option by its name as it is, else as names compare. */
  const longOf = (name: string) => {
    const key = keyOf(name)
    return known.find(({called}) => called === name) ?? known.find(({called}) => keyOf(called) === key)
  }

  const split = ({text, isQuoted}: Word) => {
    const [, dashes = "", name = "", value] = (isQuoted ? null : dashed.exec(text)) ?? []
    return dashes === "" ? undefined : {dashes, name, value, long: dashes === "-" ? undefined : longOf(name)}
  }

  const readValue = (name: string, {short}: OptionDefinition, value: string | undefined) => {
    if (value !== undefined) return [{name, value}]
    const next = line.peek()
    if (next === undefined)
      return refuse("option.missing", `${short === undefined ? "" : `-${short}, `}--${name} <value>`)
    const other = split(next)
    if (other?.long !== undefined || other?.dashes.startsWith("-"))
      return refuse("option.dash", `--${name}`, `'--${name}=-XYZ'`)
    line.take()
    return [{name, value: next.text}]
  }

  /** Reads `-n value`, `-nvalue` and `-ab`. Returns the first letter that is no option. */
  const readShort = (letters: string): readonly Given[] | Misuse | string => {
    const given: Given[] = []
    for (let at = 0; at < letters.length; at++) {
      const letter = letters.charAt(at)
      const found = known.find(({option: {short}}) => short === letter.normalize("NFKC"))
      if (found === undefined) return letter
      if (found.option.type === "boolean") given.push({name: found.name, value: true})
      else {
        const value = letters.slice(at + 1).replace(/^[=＝]/, "")
        const read = readValue(found.name, found.option, value === "" ? undefined : value)
        return "why" in read ? read : [...given, ...read]
      }
    }
    return given
  }

  return word => {
    const found = split(word)
    if (found === undefined) return undefined
    const {dashes, name, value, long} = found
    if (long !== undefined) {
      if (long.option.type !== "boolean") return readValue(long.name, long.option, value)
      return value === undefined ? [{name: long.name, value: long.value}] : refuse("option.flag", `--${long.called}`)
    }
    const unknown = dashes.length > 1 ? name : readShort(value === undefined ? name : `${name}=${value}`)
    if (typeof unknown !== "string") return unknown
    // A keyboard may have made a dash of prose.
    return /[^-]/.test(dashes) ? undefined : refuse("option.unknown", shownWord(dashes + unknown))
  }
}
