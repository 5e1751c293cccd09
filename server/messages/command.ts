import {parseArgs} from "node:util"
import type {PluginPath} from "../../shared/ids.ts"
import {messageOf} from "../../shared/problems.ts"
import type {ArgumentType, OptionDefinition} from "../../shared/sdk/command.ts"
import type {CommandDefinition, Reply, Session} from "../../shared/sdk/session.ts"
import {splitWords, takeWord} from "./words.ts"

export interface Argument {
  readonly name: string
  readonly type: ArgumentType
  readonly required: boolean
}

export type ParsedArguments = Readonly<Record<string, string | number | boolean>>

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

const types = new Set<string>(["string", "text", "number", "integer", "boolean"])

/** Parses `item add <title:text> [priority:integer]`. Throws an `Error` that names what is wrong. */
export const parsePattern = (pattern: string): {path: readonly string[]; arguments: readonly Argument[]} => {
  const path: string[] = []
  const parsed: Argument[] = []
  for (const word of pattern.split(/\s+/).filter(part => part !== "")) {
    const bracketed = /^<([^<>]+)>$|^\[([^[\]]+)\]$/.exec(word)
    if (bracketed === null) {
      if (parsed.length > 0 || !/^[^<>[\]]+$/.test(word)) throw new Error(`"${pattern}": unexpected "${word}"`)
      path.push(word.toLowerCase())
      continue
    }
    parsed.push(parseArgument(pattern, bracketed[1] ?? bracketed[2] ?? "", bracketed[1] !== undefined))
  }
  if (path.length === 0) throw new Error(`"${pattern}": a command begins with a word`)
  if (parsed.slice(0, -1).some(({type}) => type === "text")) throw new Error(`"${pattern}": text must come last`)
  if (parsed.some((argument, index) => argument.required && parsed[index - 1]?.required === false)) {
    throw new Error(`"${pattern}": a required argument cannot follow an optional one`)
  }
  const twice = parsed.find(({name}, index) => parsed.findIndex(other => other.name === name) < index)
  if (twice !== undefined) throw new Error(`"${pattern}": ${twice.name} stands twice`)
  return {path, arguments: parsed}
}

const parseArgument = (pattern: string, inner: string, required: boolean): Argument => {
  const [name = "", type = "string"] = inner.split(":")
  if (name === "") throw new Error(`"${pattern}": an argument needs a name`)
  if (!types.has(type))
    throw new Error(`"${pattern}": ${name} has the type "${type}"; the types are ${[...types].join(", ")}`)
  return {name, type: type as ArgumentType, required}
}

export type Parsed =
  | {readonly is: "call"; readonly args: ParsedArguments; readonly options: ParsedArguments}
  | {readonly is: "misused"; readonly why: string}

/** Reads what follows a command's words. */
export const parseCall = (command: Command, rest: string): Parsed => {
  const options = command.definition.options
  if (options === undefined || !rest.includes("-")) return readArguments(command, rest, {})
  try {
    const {values, positionals} = parseArgs({
      args: splitWords(rest).map(hideMinus),
      allowPositionals: true,
      options: Object.fromEntries(
        Object.entries(options).map(([name, {type, short}]) => [
          name,
          {
            type: type === "boolean" ? ("boolean" as const) : ("string" as const),
            ...(short === undefined ? {} : {short}),
          },
        ]),
      ),
    })
    const read = readOptions(options, values)
    if (typeof read === "string") return {is: "misused", why: read}
    return readArguments(command, positionals.map(showMinus), read)
  } catch (error) {
    return {is: "misused", why: messageOf(error).split(". To specify")[0] ?? ""}
  }
}

/** A number below zero is no option: its minus is hidden from `parseArgs`. */
const hideMinus = (word: string) => (/^-\.?\d/.test(word) ? `\0${word}` : word)
const showMinus = (word: string) => (word.startsWith("\0") ? word.slice(1) : word)

const readOptions = (options: Record<string, OptionDefinition>, values: Record<string, unknown>) => {
  const read: Record<string, string | number | boolean> = {}
  for (const [name, value] of Object.entries(values)) {
    const type = options[name]?.type ?? "string"
    const converted = typeof value === "string" ? convert(type, showMinus(value)) : value
    if (converted === undefined) return `--${name} must be ${described[type]}`
    read[name] = converted as string | number | boolean
  }
  return read
}

const readArguments = (command: Command, rest: string | readonly string[], options: ParsedArguments): Parsed => {
  const args: Record<string, string | number | boolean> = {}
  let left: Rest = rest
  for (const {name, type, required} of command.arguments) {
    const [word, after] = type === "text" ? [wholeOf(left), ""] : takeFirst(left)
    left = after
    if (word === undefined) {
      if (required) return {is: "misused", why: `${name} is missing`}
      continue
    }
    const value = convert(type, word)
    if (value === undefined) return {is: "misused", why: `${name} must be ${described[type]}, not "${word}"`}
    args[name] = value
  }
  const [surplus] = takeFirst(left)
  if (surplus !== undefined) return {is: "misused", why: `"${surplus}" is too much`}
  return {is: "call", args, options}
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

/** \`Number\` takes an empty text for 0. */
const isNumeric = (word: string) => word.trim() !== ""

const convert = (type: ArgumentType, word: string): string | number | boolean | undefined => {
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

/** `item add <title:text> [priority]` as help shows it. */
export const usageOf = (command: Command): string =>
  [
    ...command.path,
    ...command.arguments.map(({name, type, required}) => {
      const inner = type === "text" ? `${name}...` : name
      return required ? `<${inner}>` : `[${inner}]`
    }),
    ...Object.entries(command.definition.options ?? {}).map(([name, {type}]) =>
      type === "boolean" ? `[--${name}]` : `[--${name} <${type}>]`,
    ),
  ].join(" ")
