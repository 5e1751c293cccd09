import {fromJson} from "../../../shared/json.ts"
import {messageOf} from "../../../shared/problems.ts"
import {explainValue} from "../../runtime/text/explain.ts"
import {formatPath} from "../../runtime/text/path.ts"
import type {AgentTool} from "../runs/tool.ts"

/** Valid arguments for a tool, or the reason why they are invalid, for the model. */
export type CheckedArguments =
  | {readonly is: "fit"; readonly args: unknown}
  | {readonly is: "wrong"; readonly message: string}

/** The most characters of a model's arguments. */
const longest = 256 * 1024

/** The deepest nesting of objects and lists. */
const deepest = 64

/** The most mistakes that svc reports to the model at once. */
const mostTold = 10

/** Keys that could change an object's prototype. */
const prototypeKeys: readonly string[] = ["__proto__", "constructor", "prototype"]

/** Parses the model's arguments, and validates them against the tool's parameters. Empty text is an empty object. */
export const checkArguments = (
  {name, parameters, isForeign}: Pick<AgentTool, "name" | "parameters" | "isForeign">,
  json: string,
): CheckedArguments => {
  const told = (why: string) => ({is: "wrong", message: `The arguments of ${name} do not fit: ${why}`}) as const
  if (json.length > longest) return told(`they have ${json.length} characters; at most ${longest} are allowed.`)
  let args: unknown = {}
  try {
    if (json.trim() !== "") args = fromJson(json)
  } catch (error) {
    return told(`they are not JSON (${messageOf(error)}).`)
  }
  if (typeof args !== "object" || args === null || Array.isArray(args)) return told("expected a JSON object.")
  const unsafe = unsafePart(args)
  if (unsafe !== undefined) return told(unsafe)
  const found = isForeign === true ? [] : explainValue(parameters, args)
  if (found.length === 0) return {is: "fit", args}
  const lines = found.slice(0, mostTold).map(({path, message}) => `${formatPath(path)}: ${message}`)
  const more = found.length > mostTold ? [`and ${found.length - mostTold} more`] : []
  return told([...lines, ...more].join("; "))
}

/** Returns why no tool may get these arguments, whatever its parameters allow; undefined if they are safe. */
const unsafePart = (args: object): string | undefined => {
  const waiting: {readonly value: object; readonly depth: number}[] = [{value: args, depth: 1}]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const {value, depth} = next
    if (depth > deepest) return `they have parts more than ${deepest} deep.`
    const key = Object.keys(value).find(each => prototypeKeys.includes(each))
    if (key !== undefined) return `the key "${key}" is not allowed.`
    for (const part of Object.values(value)) {
      if (typeof part === "object" && part !== null) waiting.push({value: part, depth: depth + 1})
    }
  }
  return undefined
}
