import type {ArgumentType} from "../../../shared/sdk/session/command.ts"
import {keyOf} from "../../../shared/sdk/text/typed.ts"
import {convert, convertEach, isTwice, partsOf, type Taking, type Value} from "./value.ts"

export interface Argument extends Taking {
  readonly name: string
  readonly required: boolean
  /** Several values: a list in one word, or the rest of the words. */
  readonly many?: "list" | "rest"
  readonly fallback?: Value | readonly Value[]
}

const types: readonly ArgumentType[] = ["string", "text", "number", "integer", "boolean"]

/** A word of a pattern. Only a quoted default may contain spaces. */
const patternWord = /(?:="[^"]*"|='[^']*'|\S)+/g

/** Parses `item add <title:text> [priority:integer=1]`. Throws an `Error` that names the pattern and what is wrong. */
export const parsePattern = (pattern: string): {path: readonly string[]; arguments: readonly Argument[]} => {
  const refuse = (why: string): never => {
    throw new Error(`"${pattern}": ${why}`)
  }
  const path: string[] = []
  const parsed: Argument[] = []
  for (const [word] of pattern.matchAll(patternWord)) {
    const bracketed = /^<([^<>]+)>$|^\[(.+)\]$/.exec(word)
    if (bracketed === null) {
      if (parsed.length > 0 || !/^[^<>[\]]+$/.test(word) || keyOf(word) === "") refuse(`unexpected "${word}"`)
      path.push(word.toLowerCase())
      continue
    }
    parsed.push(parseArgument(bracketed[1] ?? bracketed[2] ?? "", bracketed[1] !== undefined, refuse))
  }
  if (path.length === 0) refuse("a command must begin with a word")
  const early = parsed.slice(0, -1).find(({type, many}) => type === "text" || many === "rest")
  if (early !== undefined) refuse(early.many === "rest" ? `${early.name}... must come last` : "text must come last")
  if (parsed.some((argument, index) => argument.required && parsed[index - 1]?.required === false))
    refuse("a required argument cannot follow an optional one")
  const twice = parsed.find(({name}, index) => parsed.findIndex(other => other.name === name) < index)
  if (twice !== undefined) refuse(`${twice.name} appears twice`)
  return {path, arguments: parsed}
}

type Refuse = (why: string) => never

const parseArgument = (inner: string, required: boolean, refuse: Refuse): Argument => {
  const equals = inner.indexOf("=")
  const spec = equals < 0 ? inner : inner.slice(0, equals)
  const {name, kind, many} = parseSpec(spec)
  if (name === "") refuse("an argument needs a name")
  if (/[<>[\]"']/.test(name)) refuse(`unexpected "${inner}"`)
  const taking = parseKind(name, kind, refuse)
  if (taking.type === "text" && many !== undefined)
    refuse(`${name}: text takes the rest of the line and cannot be a list`)
  const argument = {name, required, ...taking, ...(many === undefined ? {} : {many})}
  if (equals < 0) return argument
  return {...argument, fallback: parseDefault(argument, inner.slice(equals + 1), refuse)}
}

/** Splits `ids:integer[]` into its parts; without a type it is a string. */
const parseSpec = (spec: string): {name: string; kind: string; many?: "list" | "rest"} => {
  const [whole = "", suffix] = /^(.*?)(\[\]|\.\.\.)?$/.exec(spec)?.slice(1) ?? []
  const colon = whole.indexOf(":")
  const named = colon < 0 ? {name: whole, kind: "string"} : {name: whole.slice(0, colon), kind: whole.slice(colon + 1)}
  return suffix === undefined ? named : {...named, many: suffix === "[]" ? "list" : "rest"}
}

const parseKind = (name: string, kind: string, refuse: Refuse): Taking => {
  const type = types.find(each => each === kind)
  if (type !== undefined) return {type}
  if (!kind.includes("|"))
    return refuse(`${name} has the type "${kind}"; the types are ${types.join(", ")}; choices are <${name}:red|green>`)
  const choices = kind.split("|")
  if (choices.some(choice => !/^[^\s<>[\]"',:]+$/.test(choice)))
    return refuse(`${name}: each choice must be a word without brackets, quotes, commas and colons`)
  const twice = choices.find(isTwice)
  return twice === undefined ? {type: "string", choices} : refuse(`${name}: the choice ${twice} appears twice`)
}

const parseDefault = ({name, required, many, ...taking}: Argument, written: string, refuse: Refuse) => {
  if (required) refuse(`${name}: an argument with a default must be optional: [${name}=…]`)
  if (many === "rest") refuse(`${name}... cannot have a default: it is an empty list if nothing is given`)
  const quoted = /^"([^"]*)"$|^'([^']*)'$/.exec(written)
  if (quoted === null && !/^[^<>[\]"'\s]+$/.test(written))
    refuse(`${name}: put a default in quotes if it is empty or has spaces, quotes or brackets`)
  const text = quoted?.[1] ?? quoted?.[2] ?? written
  const read = many === "list" ? convertEach(taking, partsOf(text)) : {values: convert(taking, text)}
  if ("wrong" in read || read.values === undefined)
    return refuse(`${name}: its default "${text}" is not of type ${many === "list" ? "list of " : ""}${kindOf(taking)}`)
  return read.values
}

const kindOf = ({type, choices}: Taking) => choices?.join("|") ?? type
