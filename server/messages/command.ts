import {parseArgs} from "node:util"
import type {PluginPath} from "../../shared/ids.ts"
import {messageOf} from "../../shared/problems.ts"
import type {ArgumentType, OptionDefinition} from "../../shared/sdk/command.ts"
import type {CommandDefinition, Reply, Session} from "../../shared/sdk/session.ts"
import {didYouMean} from "../config/suggest.ts"
import type {Argument} from "./arguments/pattern.ts"
import {convertEach, partsOf, type Taking, type Value} from "./arguments/value.ts"
import {splitWords, takeWord, takeWords} from "./words.ts"

export type ParsedArguments = Readonly<Record<string, Value | readonly Value[]>>

/** A command as a plugin declared it. */
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

/** Reads what follows a command's words. */
export const parseCall = (command: Command, rest: string): Parsed => {
  const {options = {}} = command.definition
  if (command.definition.options === undefined || !rest.includes("-"))
    return readArguments(command, rest, readOptions(options, {}))
  try {
    const {values, positionals} = parseArgs({
      args: splitWords(rest).map(hideMinus),
      allowPositionals: true,
      options: Object.fromEntries(Object.entries(options).flatMap(parserOptions)),
    })
    return readArguments(command, positionals.map(showMinus), readOptions(options, values))
  } catch (error) {
    return {is: "misused", why: messageOf(error).split(". To specify")[0] ?? ""}
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

/** A number below zero is no option: its minus is hidden from `parseArgs`. */
const hideMinus = (word: string) => (/^-\.?\d/.test(word) ? `\0${word}` : word)
const showMinus = (word: string) => (word.startsWith("\0") ? word.slice(1) : word)

const readOptions = (
  options: Record<string, OptionDefinition>,
  values: Readonly<Record<string, unknown>>,
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
      if ("wrong" in found) return wrongOption(name, option, found.wrong)
      const [first] = found.values
      read[name] = option.list === true || first === undefined ? found.values : first
    }
  }
  return read
}

const readArguments = (command: Command, rest: Rest, options: ParsedArguments | string): Parsed => {
  if (typeof options === "string") return {is: "misused", why: options}
  const args: Record<string, Value | readonly Value[]> = {}
  let left: Rest = rest
  for (const argument of command.arguments) {
    const [words, after] = takeFor(argument, left)
    left = after
    if (words.length === 0) {
      if (argument.required) return {is: "misused", why: `${argument.name} is missing`}
      const fallback = argument.fallback ?? (argument.many === "rest" ? [] : undefined)
      if (fallback !== undefined) args[argument.name] = fallback
      continue
    }
    const found = convertEach(
      argument,
      argument.many === "list" ? words.flatMap(partsOf) : words,
      argument.many !== "list",
    )
    if ("wrong" in found) return {is: "misused", why: wrongArgument(argument, found.wrong)}
    const [first] = found.values
    args[argument.name] = argument.many !== undefined || first === undefined ? found.values : first
  }
  const [surplus] = takeFirst(left)
  if (surplus !== undefined) return {is: "misused", why: `"${surplus}" is too much`}
  return {is: "call", args, options}
}

/** The words of an argument, none where it is not given, and what follows them. */
const takeFor = ({type, many}: Argument, rest: Rest): [words: readonly string[], after: Rest] => {
  if (type === "text") {
    const whole = wholeOf(rest)
    return [whole === undefined ? [] : [whole], ""]
  }
  if (many === "rest") return [typeof rest === "string" ? takeWords(rest) : rest, ""]
  const [word, after] = takeFirst(rest)
  return [word === undefined ? [] : [word], after]
}

const wrongArgument = (argument: Argument, word: string): string => {
  const subject = argument.many === undefined ? argument.name : `each of ${argument.name}`
  return `${subject} must be ${describe(argument)}, not "${word}"${meantIn(argument, word)}`
}

const wrongOption = (name: string, option: Taking, word: string): string =>
  `--${name} must be ${describe(option)}${option.choices === undefined ? "" : `, not "${word}"${meantIn(option, word)}`}`

const meantIn = ({type, choices = []}: Taking, word: string): string =>
  type === "string" ? didYouMean(word.toLowerCase(), choices.map(String)) : ""

/** What a value must be: `a whole number`, or its choices: `red, green or blue`. */
const describe = ({type, choices}: Taking): string => {
  if (choices === undefined) return described[type]
  const [last, ...before] = choices.map(String).toReversed()
  return [before.toReversed().join(", "), last].filter(text => text !== "").join(" or ")
}

const wholeOf = (rest: string | readonly string[]): string | undefined => {
  const whole = typeof rest === "string" ? rest.trim() : rest.join(" ")
  return whole === "" ? undefined : whole
}

type Rest = string | readonly string[]

const takeFirst = (rest: Rest): [string | undefined, Rest] =>
  typeof rest === "string" ? takeWord(rest) : [rest[0], rest.slice(1)]

const described: Record<ArgumentType, string> = {
  string: "text",
  text: "text",
  number: "a number",
  integer: "a whole number",
  boolean: "yes or no",
}

/** `item add <title:text> [priority=1]` as help shows it. */
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

/** A default as a pattern writes it, in quotes where it has to. */
const shownDefault = (fallback: Value | readonly Value[]): string => {
  const text = [fallback].flat().join(",")
  return /^[^<>[\]"'\s]+$/.test(text) ? text : text.includes('"') ? `'${text}'` : `"${text}"`
}
