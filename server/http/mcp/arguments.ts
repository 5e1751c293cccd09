import {isObject} from "../../../shared/json.ts"
import {Problem} from "../../../shared/problems.ts"
import type {Route} from "../../../shared/route.ts"
import {isId} from "../../../shared/sdk/session/values.ts"
import type {TSchema} from "../../../shared/type.ts"

type Json = Readonly<Record<string, unknown>>

/** The parts of a JSON schema of arguments that this folder reads. */
interface ObjectSchema extends Json {
  readonly properties?: Json
  readonly required?: readonly string[]
}

export const schemaOf = (schema: TSchema | undefined): ObjectSchema => (schema ?? {}) as ObjectSchema

/** Returns the properties that a schema names; undefined if its value need not be an object. */
export const propertiesOf = (schema: TSchema | undefined): Json | undefined => schemaOf(schema).properties

/** Returns the names of a path's parameters, such as `seq` of `/api/inbox/:seq`. */
export const namesIn = (path: string): readonly string[] => [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name)

/** The arguments of a tool, each in its place of the HTTP request. */
export interface Placed {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly body: unknown
}

/** Throws `request_invalid` for an argument that has no place; the route checks the values. */
export const placeArguments = ({path, query, body}: Route, args: Json): Placed => {
  const names = namesIn(path)
  const asked = Object.keys(propertiesOf(query) ?? {})
  const rest = Object.entries(args).filter(([name]) => !names.includes(name) && !asked.includes(name))
  const isFlat = body === undefined || propertiesOf(body) !== undefined
  const [unknown] = rest.filter(([name]) => body === undefined || (!isFlat && name !== "body"))
  if (unknown !== undefined) throw new Problem("request_invalid", `the tool has no argument "${unknown[0]}"`)
  return {
    params: Object.fromEntries(names.map(name => [name, readParameter(name, args[name])])),
    query: Object.fromEntries(
      asked.flatMap(name => (args[name] === undefined ? [] : [[name, readText(name, args[name])]])),
    ),
    body: isFlat ? Object.fromEntries(rest) : args.body,
  }
}

/** The longest parameter of a path, in characters. */
const longest = 1000

const readParameter = (name: string, value: unknown): string => {
  const text = readText(name, value)
  if (isId(text) && text.length <= longest) return text
  throw new Problem("request_invalid", `${name} must be text of 1 to ${longest} characters without NUL`)
}

const readText = (name: string, value: unknown): string => {
  if (value === undefined) throw new Problem("request_invalid", `the argument ${name} is missing`)
  if (value === null || isObject(value) || Array.isArray(value))
    throw new Problem("request_invalid", `${name} must be text, a number or a boolean`)
  return String(value)
}
