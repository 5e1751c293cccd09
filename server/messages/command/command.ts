import {parseArgs} from "node:util"
import type {PluginPath} from "../../../shared/ids.ts"
import type {ArgumentType, OptionDefinition} from "../../../shared/sdk/command.ts"
import type {CommandDefinition, Reply, Session} from "../../../shared/sdk/session.ts"
import {suggest} from "../../config/suggest.ts"
import type {Argument} from "../arguments/pattern.ts"
import {convertEach, partsOf, type Taking, type Value} from "../arguments/value.ts"
import type {HostText} from "../texts/en.ts"
import {inEnglish, type Say} from "../texts/host-texts.ts"
import {misusedOption} from "./misused-option.ts"
import {splitWords, takeWord, takeWords} from "./words.ts"

export type ParsedArguments = Readonly<Record<string, Value | readonly Value[]>>

export interface Command {
  /** The handler id that its marks carry. */
  readonly id: string
  /** `host` for the Host's own commands. */
  readonly owner: PluginPath | "host"
  /** Its words: `["item", "add"]`. */
  readonly path: readonly string[]
  readonly aliases: readonly (readonly string[])[]
  readonly arguments: readonly Argument[]
  readonly definition: CommandDefinition<Record<string, OptionDefinition>>
  readonly handle: (call: {args: ParsedArguments; options: ParsedArguments; session: Session}) => Reply
}

export type Parsed =
  | {readonly is: "call"; readonly args: ParsedArguments; readonly options: ParsedArguments}
  | {readonly is: "misused"; readonly why: string}

/** Reads the text after a command's words. Says what is wrong with it in the texts of `say`. */
export const parseCall = (command: Command, rest: string, say: Say = inEnglish): Parsed => {
  const {options = {}} = command.definition
  if (command.definition.options === undefined || !rest.includes("-"))
    return readArguments(command, rest, readOptions(options, {}, say), say)
  try {
    const {values, positionals} = parseArgs({
      args: splitWords(rest).map(hideMinus),
      allowPositionals: true,
      options: Object.fromEntries(Object.entries(options).flatMap(parserOptions)),
    })
    return readArguments(command, positionals.map(showMinus), readOptions(options, values, say), say)
  } catch (error) {
    return {is: "misused", why: misusedOption(error, say)}
  }
}

const parserOptions = ([name, {type, short, list, default: fallback}]: [string, OptionDefinition]) => {
  const isSwitch = type === "boolean"
  const own = {type: isSwitch ? ("boolean" as const) : ("string" as const), multiple: list === true}
  const off = [`no-${name}`, {type: "boolean" as const}] as const
  return [
    [name, {...own, ...(short === undefined ? {} : {short})}] as const,
    ...(isSwitch && fallback === true ? [off] : []),
  ]
}

/** A negative number is not an option, so its minus is hidden from `parseArgs`. */
const hideMinus = (word: string) => (/^-\.?\d/.test(word) ? `\0${word}` : word)
const showMinus = (word: string) => (word.startsWith("\0") ? word.slice(1) : word)

const readOptions = (
  options: Record<string, OptionDefinition>,
  values: Readonly<Record<string, unknown>>,
  say: Say,
): ParsedArguments | string => {
  const read: Record<string, Value | readonly Value[]> = {}
  for (const [name, option] of Object.entries(options)) {
    const given = Object.hasOwn(values, name) ? values[name] : undefined
    const value = values[`no-${name}`] === true && option.default === true ? false : given
    if (value === undefined) {
      const fallback = option.default ?? (option.list === true ? [] : undefined)
      if (fallback !== undefined) read[name] = fallback
    } else if (typeof value === "boolean") read[name] = value
    else {
      const found = convertEach(
        option,
        [value].flat().map(word => showMinus(String(word))),
        true,
      )
      if ("wrong" in found) return wrongOption(name, option, found.wrong, say)
      const [first] = found.values
      read[name] = option.list === true || first === undefined ? found.values : first
    }
  }
  return read
}

const readArguments = (command: Command, rest: Rest, options: ParsedArguments | string, say: Say): Parsed => {
  if (typeof options === "string") return {is: "misused", why: options}
  const args: Record<string, Value | readonly Value[]> = {}
  let left: Rest = rest
  for (const argument of command.arguments) {
    const [words, after] = takeFor(argument, left)
    left = after
    if (words.length === 0) {
      if (argument.required) return {is: "misused", why: say("command.missing", {name: argument.name})}
      const fallback = argument.fallback ?? (argument.many === "rest" ? [] : undefined)
      if (fallback !== undefined) args[argument.name] = fallback
      continue
    }
    const found = convertEach(
      argument,
      argument.many === "list" ? words.flatMap(partsOf) : words,
      argument.many !== "list",
    )
    if ("wrong" in found) return {is: "misused", why: wrongArgument(argument, found.wrong, say)}
    const [first] = found.values
    args[argument.name] = argument.many !== undefined || first === undefined ? found.values : first
  }
  const [surplus] = takeFirst(left)
  if (surplus !== undefined) return {is: "misused", why: say("command.surplus", {word: surplus})}
  return {is: "call", args, options}
}

/** Returns the words of an argument, none if it is not given, and the text after them. */
const takeFor = ({type, many}: Argument, rest: Rest): [words: readonly string[], after: Rest] => {
  if (type === "text") {
    const whole = wholeOf(rest)
    return [whole === undefined ? [] : [whole], ""]
  }
  if (many === "rest") return [typeof rest === "string" ? takeWords(rest) : rest, ""]
  const [word, after] = takeFirst(rest)
  return [word === undefined ? [] : [word], after]
}

const wrongArgument = (argument: Argument, word: string, say: Say): string => {
  const key = argument.many === undefined ? "command.type" : "command.each"
  return say(key, {name: argument.name, type: describe(argument, say), word}) + meantIn(argument, word, say)
}

const wrongOption = (name: string, option: Taking, word: string, say: Say): string => {
  const type = describe(option, say)
  if (option.choices === undefined) return say("command.option", {option: `--${name}`, type})
  return say("command.type", {name: `--${name}`, type, word}) + meantIn(option, word, say)
}

const meantIn = ({type, choices = []}: Taking, word: string, say: Say): string => {
  const meant = type === "string" ? suggest(word.toLowerCase(), choices.map(String)) : undefined
  return meant === undefined ? "" : say("command.meant", {choice: meant})
}

/** Describes what a value must be: `a whole number`, or its choices: `red, green or blue`. */
export const describe = ({type, choices}: Taking, say: Say): string => {
  if (choices === undefined) return say(described[type])
  const [last = "", ...before] = choices.map(String).toReversed()
  return before.length === 0 ? last : say("type.choices", {choices: before.toReversed().join(", "), last})
}

const wholeOf = (rest: string | readonly string[]): string | undefined => {
  const whole = typeof rest === "string" ? rest.trim() : rest.join(" ")
  return whole === "" ? undefined : whole
}

type Rest = string | readonly string[]

const takeFirst = (rest: Rest): [string | undefined, Rest] =>
  typeof rest === "string" ? takeWord(rest) : [rest[0], rest.slice(1)]

const described: Record<ArgumentType, HostText> = {
  string: "type.text",
  text: "type.text",
  number: "type.number",
  integer: "type.integer",
  boolean: "type.boolean",
}

/** Returns the usage as help shows it: `item add <title> [priority=1]`. */
export const usageOf = (command: Command): string =>
  [
    ...command.path,
    ...command.arguments.map(usageOfArgument),
    ...Object.entries(command.definition.options ?? {}).map(usageOfOption),
  ].join(" ")

const usageOfArgument = ({name, type, required, choices, many, fallback}: Argument): string => {
  const shown = choices?.join("|") ?? (type === "text" ? `${name}...` : name)
  const inner = `${shown}${many === "list" ? ",..." : ""}${fallback === undefined ? "" : `=${shownDefault(fallback)}`}`
  return `${required ? `<${inner}>` : `[${inner}]`}${many === "rest" ? "..." : ""}`
}

const usageOfOption = ([name, {type, choices, list, default: fallback}]: [string, OptionDefinition]): string => {
  if (type === "boolean") return fallback === true ? `[--no-${name}]` : `[--${name}]`
  const inner = `${choices?.join("|") ?? type}${fallback === undefined ? "" : `=${shownDefault(fallback)}`}`
  return `[--${name} <${inner}>]${list === true ? "..." : ""}`
}

/** Returns a default as a pattern writes it, in quotes if needed. */
const shownDefault = (fallback: Value | readonly Value[]): string => {
  const text = [fallback].flat().join(",")
  return /^[^<>[\]"'\s]+$/.test(text) ? text : text.includes('"') ? `'${text}'` : `"${text}"`
}
