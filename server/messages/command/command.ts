import type {PluginPath} from "../../../shared/ids.ts"
import type {ArgumentType, OptionDefinition} from "../../../shared/sdk/session/command.ts"
import type {CommandDefinition, Reply, Session} from "../../../shared/sdk/session/session.ts"
import {keyOf} from "../../../shared/sdk/text/typed.ts"
import {suggest} from "../../runtime/text/suggest.ts"
import type {Argument} from "../arguments/pattern.ts"
import {convertEach, partsOf, shownWord, type Taking, type Value} from "../arguments/value.ts"
import {inEnglish, type Say} from "../texts/host-texts.ts"
import type {HostText} from "../texts/tables.ts"
import {type Given, type Split, splitCall} from "./split-call.ts"

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
  const {options} = command.definition
  const textAt = command.arguments.findIndex(({type}) => type === "text")
  const split = splitCall(rest, textAt < 0 ? Number.POSITIVE_INFINITY : textAt, options, say)
  if ("why" in split) return {is: "misused", why: split.why}
  const read = readOptions(options, split.options, say)
  return typeof read === "string" ? {is: "misused", why: read} : readArguments(command, split, read, say)
}

const readOptions = (
  options: Readonly<Record<string, OptionDefinition>> = {},
  given: readonly Given[],
  say: Say,
): ParsedArguments | string => {
  const read: Record<string, Value | readonly Value[]> = {}
  for (const [name, option] of Object.entries(options)) {
    const values = given.filter(each => each.name === name).map(({value}) => value)
    const value = values.at(-1)
    if (value === undefined) {
      const fallback = option.default ?? (option.list === true ? [] : undefined)
      if (fallback !== undefined) read[name] = fallback
    } else if (typeof value === "boolean") read[name] = value
    else {
      const found = convertEach(option, option.list === true ? values.map(String) : [value], true)
      if ("wrong" in found) return wrongOption(name, option, found.wrong, say)
      const [first] = found.values
      read[name] = option.list === true || first === undefined ? found.values : first
    }
  }
  return read
}

const readArguments = (command: Command, {words, text}: Split, options: ParsedArguments, say: Say): Parsed => {
  const args: Record<string, Value | readonly Value[]> = {}
  let at = 0
  for (const argument of command.arguments) {
    const end = argument.many === "rest" ? words.length : at + 1
    const own = argument.type === "text" ? (text === undefined ? [] : [text]) : words.slice(at, end)
    at = end
    if (own.length === 0) {
      if (argument.required) return {is: "misused", why: say("command.missing", {name: argument.name})}
      const fallback = argument.fallback ?? (argument.many === "rest" ? [] : undefined)
      if (fallback !== undefined) args[argument.name] = fallback
      continue
    }
    const found = convertEach(argument, argument.many === "list" ? own.flatMap(partsOf) : own, argument.many !== "list")
    if ("wrong" in found) return {is: "misused", why: wrongArgument(argument, found.wrong, say)}
    const [first] = found.values
    args[argument.name] = argument.many !== undefined || first === undefined ? found.values : first
  }
  const surplus = words[at]
  if (surplus !== undefined) return {is: "misused", why: say("command.surplus", {word: shownWord(surplus)})}
  return {is: "call", args, options}
}

const wrongArgument = (argument: Argument, word: string, say: Say): string => {
  const key = argument.many === undefined ? "command.type" : "command.each"
  return (
    say(key, {name: argument.name, type: describe(argument, say), word: shownWord(word)}) + meantIn(argument, word, say)
  )
}

const wrongOption = (name: string, option: Taking, word: string, say: Say): string => {
  const type = describe(option, say)
  if (option.choices === undefined) return say("command.option", {option: `--${name}`, type})
  return say("command.type", {name: `--${name}`, type, word: shownWord(word)}) + meantIn(option, word, say)
}

const meantIn = ({type, choices = []}: Taking, word: string, say: Say): string => {
  const meant = type === "string" ? suggest(keyOf(word), choices.map(String)) : undefined
  return meant === undefined ? "" : say("command.meant", {choice: meant})
}

/** Describes what a value must be: `a whole number`, or its choices: `red, green or blue`. */
export const describe = ({type, choices}: Taking, say: Say): string => {
  if (choices === undefined) return say(described[type])
  const [last = "", ...before] = choices.map(String).toReversed()
  return before.length === 0 ? last : say("type.choices", {choices: before.toReversed().join(", "), last})
}

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
