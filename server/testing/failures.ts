import {formatIssue, Problem} from "../../shared/problems.ts"
import type {Pending} from "../host/pending.ts"
import type {LogRecord} from "../runtime/logs/record.ts"
import {isOwnFrame} from "../runtime/own-files.ts"

/** What the plugins of a bot under test threw, and which failures its calls have reported. */
export class Failures {
  readonly #thrown: {readonly record: LogRecord; readonly error: Error}[] = []
  readonly #reported = new Set<string>()

  /** Hears a record of the Host's log. */
  hear(record: LogRecord): void {
    const error = errorFrom(record.error)
    if (error !== undefined) this.#thrown.push({record, error})
  }

  /** Throws the failed work that no call has reported yet. */
  throwNew(what: string, failed: readonly Pending[]): void {
    const unreported = failed.filter(({key}) => !this.#reported.has(key))
    if (unreported.length > 0) throw this.report(what, unreported)
  }

  /** Returns the error that reports failed work. Its cause is what the plugin threw; of several, its `errors`. */
  report(what: string, failed: readonly Pending[]): Error {
    for (const {key} of failed) this.#reported.add(key)
    const text = `${what}:${failed.map(each => `\n- ${each.text}`).join("")}`
    const causes = failed.flatMap(({isIn}) => this.#thrown.findLast(({record}) => isIn?.(record))?.error ?? [])
    return causes.length > 1
      ? new AggregateError(causes, text)
      : new Error(text, causes.length === 0 ? {} : {cause: causes[0]})
  }
}

/** Returns the error that a log record describes, with its stack and its causes. */
const errorFrom = (described: unknown): Error | undefined => {
  if (typeof described !== "object" || described === null || !("message" in described)) return undefined
  const {name, message, stack, cause} = described as Readonly<Record<string, unknown>>
  const error = new Error(String(message), cause === undefined ? {} : {cause: errorFrom(cause) ?? cause})
  error.stack = [`${name}: ${message}`, ...(Array.isArray(stack) ? stack.map(frame => `    ${frame}`) : [])].join("\n")
  return error
}

/** Runs a call of a test. Its errors keep only the frames of the test and of its plugins. */
export const withoutOwnFrames = async <T>(work: () => Promise<T>): Promise<T> => {
  const caller = new Error("the call")
  try {
    return await work()
  } catch (error) {
    tidy(error, caller)
    throw error
  }
}

const isFrame = (line: string): boolean => /^\s+at /.test(line)

/** Bun reads only frames with a name from a changed stack. */
const framesOf = ({stack = ""}: Error): readonly string[] =>
  stack
    .split("\n")
    .filter(line => isFrame(line) && !isOwnFrame(line))
    .map(line => line.replace(/^(\s+at (?:async )?)([^\s(]+:\d+:\d+)$/, "$1<anonymous> ($2)"))

/** Bun shows the frames that were removed if none is left. */
const noFrame = "    at call (svc-runtime/test)"

const tidy = (error: unknown, caller: Error): void => {
  if (!(error instanceof Error)) return
  const head = (error.stack ?? "").split("\n").filter(line => !isFrame(line))
  const frames = [framesOf(error), framesOf(caller), [noFrame]].find(each => each.length > 0) ?? []
  error.stack = [...head, ...frames].join("\n")
  tidy(error.cause, caller)
  if (error instanceof AggregateError) for (const each of error.errors) tidy(each, caller)
}

/** Returns a problem with its findings in its text, because test runners do not print them. */
export const withFindings = (problem: unknown): unknown => {
  if (!(problem instanceof Problem) || problem.issues.length === 0) return problem
  problem.message += problem.issues.map(issue => `\n- ${formatIssue(issue)}`).join("")
  return problem
}
