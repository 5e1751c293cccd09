import {toJson} from "../../../shared/json.ts"
import type {OptionDefinition} from "../../../shared/sdk/session/command.ts"
import {isTwice, type Value} from "./value.ts"

const types = ["string", "number", "integer", "boolean"]

/** Returns what is wrong with a command's options. Plugins may be JavaScript, so they may be anything. */
export const checkOptions = (options: Readonly<Record<string, OptionDefinition>> = {}): string | undefined => {
  const shorts = new Set<string>()
  for (const [name, option] of Object.entries(options)) {
    const wrong = checkOption(option) ?? checkNames(name, option, options, shorts)
    if (wrong !== undefined) return `--${name}: ${wrong}`
  }
  return undefined
}

const checkNames = (
  name: string,
  {type, short, default: fallback}: OptionDefinition,
  options: Readonly<Record<string, OptionDefinition>>,
  shorts: Set<string>,
): string | undefined => {
  if (type === "boolean" && fallback === true && Object.hasOwn(options, `no-${name}`))
    return `its default is true, so --no-${name} turns it off and cannot be another option`
  if (short === undefined) return undefined
  if (typeof short !== "string" || !/^[A-Za-z]$/.test(short)) return "short must be one letter"
  if (shorts.has(short)) return `-${short} belongs to another option`
  shorts.add(short)
  return undefined
}

const checkOption = ({type, choices, list, default: fallback}: OptionDefinition): string | undefined => {
  if (!types.includes(type)) return `the type must be one of ${types.join(", ")}`
  if (type === "boolean" && (list === true || choices !== undefined))
    return "a boolean can have neither list nor choices"
  if (choices !== undefined) {
    if (!Array.isArray(choices) || choices.length === 0) return "choices must be a list of values"
    if (!choices.every(choice => isOf(type, choice) && choice !== "")) return `each choice must be ${described[type]}`
    if (choices.some(isTwice)) return "a choice appears twice"
  }
  if (fallback === undefined) return undefined
  if (Array.isArray(fallback) !== (list === true))
    return `its default must be ${list === true ? "a list" : "one value"}`
  const wrong = [fallback]
    .flat()
    .find(value => !isOf(type, value) || choices?.some(choice => choice === value) === false)
  if (wrong === undefined) return undefined
  return `its default ${toJson(wrong)} is not ${choices === undefined ? described[type] : `one of ${choices.join(", ")}`}`
}

const described = {string: "text", number: "a number", integer: "a whole number", boolean: "true or false"} as const

const isOf = (type: OptionDefinition["type"], value: unknown): value is Value =>
  type === "integer" ? Number.isSafeInteger(value) : type === "number" ? Number.isFinite(value) : typeof value === type
