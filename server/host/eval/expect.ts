import {isDeepStrictEqual} from "node:util"
import type {AgentRunDetail} from "../../../shared/api/agents/agents.ts"
import {isObject, toJson, tryFromJson} from "../../../shared/json.ts"
import {type EvalCall, type EvalCase, patternOf} from "./cases.ts"

/** An expectation that was not met. */
export interface Missed {
  /** A key of the case, or what stands in its way: a request that was never recorded, an error in the Host's log. */
  readonly what:
    | `answer.${"contains" | "matches" | "not"}`
    | "calls"
    | "end"
    | "log"
    | "never"
    | "only"
    | "recording"
    | "results"
  readonly expected: string
  readonly came: string
}

/** A call of the model, in whatever state it ended. */
export interface MadeCall {
  readonly tool: string
  readonly args: unknown
  readonly state: string
  readonly reason: string | null
}

export const callsOf = (runs: readonly AgentRunDetail[]): readonly MadeCall[] =>
  runs.flatMap(({trail}) =>
    trail
      .filter(({kind}) => kind === "tool")
      .map(({name, input, state, reason}) => ({
        tool: name,
        args: typeof input === "string" ? (tryFromJson(input) ?? input) : input,
        state,
        reason,
      })),
  )

/** Compares what a case expects with its runs, oldest first. */
export const missedOf = (expected: EvalCase, runs: readonly AgentRunDetail[]): readonly Missed[] => {
  const calls = callsOf(runs)
  return [...endMissed(expected, runs), ...callsMissed(expected, calls), ...answerMissed(expected, runs.at(-1)?.answer)]
}

const endMissed = ({end = "succeeded", reason}: EvalCase, runs: readonly AgentRunDetail[]): readonly Missed[] => {
  const last = runs.at(-1)
  const isMet = (last?.state ?? "none") === end && (reason === undefined || last?.reason === reason)
  if (isMet) return []
  const why = [last?.state ?? "no run", last?.reason ?? last?.waitsFor, last?.error]
  const came = why.filter(part => part !== null && part !== undefined).join(", ")
  return [{what: "end", expected: [end, reason ?? []].flat().join(", "), came}]
}

const callsMissed = (
  {calls = [], order = "listed", only = false, never = []}: EvalCase,
  made: readonly MadeCall[],
): readonly Missed[] => {
  const came = made.map(describe).join("; ") || "no call"
  const left = [...made]
  const missed: Missed[] = []
  let from = 0
  for (const call of calls) {
    const at = left.findIndex((each, index) => index >= from && isMade(call, each))
    if (at === -1) missed.push({what: "calls", expected: describeExpected(call), came})
    else left.splice(at, 1)
    if (at !== -1 && order === "listed") from = at
  }
  const forbidden = never.filter(tool => made.some(each => each.tool === tool))
  if (forbidden.length > 0) missed.push({what: "never", expected: `no ${forbidden.join(", ")}`, came})
  if (only && left.length > 0)
    missed.push({what: "only", expected: "nothing else", came: left.map(describe).join("; ")})
  return missed
}

const isMade = ({tool, args = {}, matches = {}, exact = false, state = "done"}: EvalCall, made: MadeCall): boolean => {
  if (made.tool !== tool || made.state !== state) return false
  const texts = isObject(made.args) ? made.args : {}
  const hasMatches = Object.entries(matches).every(([key, pattern]) => patternOf(pattern).test(textOf(texts[key])))
  return hasMatches && (exact ? isDeepStrictEqual(made.args, args) : includes(made.args, args))
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : (toJson(value) ?? ""))

/** Whether a value has all keys of another with their values; lists are compared item by item. */
export const includes = (value: unknown, part: unknown): boolean => {
  if (Array.isArray(part))
    return Array.isArray(value) && value.length === part.length && part.every((each, at) => includes(value[at], each))
  if (!isObject(part)) return isDeepStrictEqual(value, part)
  return isObject(value) && Object.entries(part).every(([key, each]) => includes(value[key], each))
}

const answerMissed = ({answer = {}}: EvalCase, came: string | null | undefined): readonly Missed[] => {
  const text = came ?? ""
  const has = (part: string) => text.toLowerCase().includes(part.toLowerCase())
  const {contains = [], matches = [], not = []} = answer
  const missed = (what: Missed["what"], parts: readonly string[]) =>
    parts.map(expected => ({what, expected, came: came ?? "no answer"}))
  return [
    ...missed(
      "answer.contains",
      contains.filter(part => !has(part)),
    ),
    ...missed(
      "answer.matches",
      matches.filter(part => !patternOf(part).test(text)),
    ),
    ...missed("answer.not", not.filter(has)),
  ]
}

const describe = ({tool, args, state, reason}: MadeCall): string =>
  `${tool} ${toJson(args)} (${[state, reason ?? []].flat().join(", ")})`

const describeExpected = ({tool, args, matches, exact, state}: EvalCall): string => {
  const parts = [
    args === undefined ? [] : `${exact === true ? "exactly" : "with"} ${toJson(args)}`,
    matches === undefined ? [] : `matching ${toJson(matches)}`,
    state === undefined ? [] : `(${state})`,
  ]
  return [tool, ...parts.flat()].join(" ")
}
