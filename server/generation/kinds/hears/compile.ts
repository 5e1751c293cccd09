import {messageOf} from "../../../../shared/problems.ts"
import type {HearsHandler} from "../../../messages/hears.ts"
import {explainRefusal, findNamedReference, type SyntaxRefusal} from "./refusal.ts"

/** A pattern compiled by an engine that works in linear time and never backtracks. */
export type CompiledPattern = HearsHandler["pattern"]

/** A declared pattern, before it is compiled. */
export interface DeclaredPattern {
  readonly pattern: string | RegExp
  /** The pattern as the plugin wrote it, for people. */
  readonly shown: string
  /** An error whose stack is that of the declaration. */
  readonly at: Error
}

/**
 * The most instructions of a compiled pattern. In the worst case a match takes their number times the length of the
 * text: with 200, 0.15 s for 16,384 characters (measured).
 */
const mostInstructions = 200

/** The flags that make sense for a single match at any position. */
const takenFlags = "imsu"

type Engine = typeof import("re2js").RE2JS

/**
 * Compiles the patterns of a plugin. Throws an AggregateError with an error for each rejected pattern; their stacks are
 * those of the declarations. The engine loads with the first plugin that has patterns.
 */
export const compileHears = async <D extends DeclaredPattern>(
  declared: readonly D[],
): Promise<readonly (D & {readonly compiled: CompiledPattern})[]> => {
  if (declared.length === 0) return []
  const {RE2JS} = await import("re2js")
  const errors: Error[] = []
  const all = declared.flatMap(each => {
    const compiled = compilePattern(RE2JS, each.pattern)
    if (typeof compiled !== "string") return [{...each, compiled}]
    errors.push(Object.assign(new Error(`hears(${each.shown}): ${compiled}`), {stack: each.at.stack}))
    return []
  })
  const [first] = errors
  if (first === undefined) return all
  throw new AggregateError(errors, errors.length === 1 ? first.message : `${errors.length} patterns are refused`)
}

/** Returns the compiled pattern, or why it is rejected and what to do about it. */
const compilePattern = (engine: Engine, pattern: string | RegExp): CompiledPattern | string => {
  const {source, flags} = typeof pattern === "string" ? {source: pattern, flags: ""} : pattern
  if (source === "" || source === "(?:)") return empty
  const wrongFlags = [...flags].filter(flag => !takenFlags.includes(flag))
  if (wrongFlags.length > 0) return refuseFlags(wrongFlags)
  const reference = findNamedReference(source)
  if (reference !== undefined) return explainRefusal(source, {error: "", input: reference})
  try {
    const regex = engine.compile(engine.translateRegExp(pattern))
    const size = regex.programSize()
    return size > mostInstructions ? refuseSize(size) : wrap(regex)
  } catch (error) {
    return explainRefusal(source, isSyntaxRefusal(error) ? error : {error: messageOf(error), input: null})
  }
}

const empty = 'it is empty, so every message would match. Write a pattern, or use plugin.on("message-created")'

const isSyntaxRefusal = (error: unknown): error is SyntaxRefusal =>
  error instanceof Error && "error" in error && "input" in error

const refuseFlags = (flags: readonly string[]): string => {
  const [flag, are] = flags.length === 1 ? ["flag", "means"] : ["flags", "mean"]
  return `the ${flag} ${flags.join(", ")} ${are} nothing here, because a handler runs once for a message. Use only i, m, s or u`
}

const refuseSize = (size: number): string =>
  `it compiles to ${size} instructions, but at most ${mostInstructions} are allowed, because each message waits for the match. ` +
  "Shorten it, lower its counts such as {1,50}, or split it into several patterns"

const wrap = (regex: InstanceType<Engine>): CompiledPattern => {
  const names = Object.entries(regex.namedGroups())
  return {
    test: text => regex.test(text),
    match: text => {
      const found: readonly (string | undefined)[] | null = regex.exec(text)
      if (found === null) return undefined
      const [whole = "", ...groups] = found
      return {text: whole, groups, named: Object.fromEntries(names.map(([name, index]) => [name, found[index]]))}
    },
  }
}
