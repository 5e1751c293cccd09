import {Cron} from "croner"
import {messageOf} from "../../../shared/problems.ts"
import {tryOr} from "../../../shared/try-or.ts"

/** What is wrong with a pattern, and where. `column` is the position of the faulty field, from 1. */
export interface PatternFault {
  readonly message: string
  readonly column?: number
}

/** Parses a pattern. croner gets no function, so it sets no timer. */
export const parseCron = (pattern: string, timezone: string): Cron =>
  new Cron(pattern, {timezone, mode: "5-or-6-parts", paused: true})

const fields = [
  {name: "second", expected: "0 to 59"},
  {name: "minute", expected: "0 to 59"},
  {name: "hour", expected: "0 to 23"},
  {name: "day of the month", expected: "1 to 31, L for the last day"},
  {name: "month", expected: "1 to 12, or JAN to DEC"},
  {name: "weekday", expected: "0 to 7, or SUN to SAT, with #2 for the second of the month"},
] as const

/** In characters. */
const longest = 1000

const names = "@yearly, @monthly, @weekly, @daily, @hourly"

/** Returns what is wrong with a pattern; undefined for a valid recurring one. */
export const patternFault = (pattern: string): PatternFault | undefined => {
  if (pattern.length > longest) return {message: `expected at most ${longest} characters, got ${pattern.length}`}
  const mark = pattern.indexOf("?")
  if (mark >= 0) {
    return {message: '"?" means the time at which the pattern is read; write that time instead', column: mark + 1}
  }
  if (pattern.trim().startsWith("@")) return isParsed(pattern) ? undefined : {message: `expected one of ${names}`}
  const parts = [...pattern.matchAll(/\S+/g)].map(({0: text, index}) => ({text, column: index + 1}))
  if (parts.length !== 5 && parts.length !== 6) {
    const message = "expected five fields (minute hour day month weekday), or six with seconds first"
    return {message: `${message}, got ${parts.length}`}
  }
  const wrong = parts.findIndex(
    ({text}, index) => !isParsed(parts.map((_, at) => (at === index ? text : "*")).join(" ")),
  )
  const part = parts[wrong]
  const field = fields[wrong + fields.length - parts.length]
  if (part !== undefined && field !== undefined) {
    const message = `${field.name} "${part.text}" at column ${part.column}: expected ${field.expected}; ranges (1-5), lists (1,3) and steps (*/2)`
    return {message, column: part.column}
  }
  return wholeFault(pattern)
}

/** Checks the whole pattern: fields that are valid separately may not be valid together. */
const wholeFault = (pattern: string): PatternFault | undefined => {
  try {
    return parseCron(pattern, "UTC").nextRun() === null ? {message: "matches no time"} : undefined
  } catch (error) {
    return {message: messageOf(error).replace(/^Cron(Pattern|Date): /, "")}
  }
}

/** Describes what is wrong with a pattern; undefined for a valid recurring one. */
export const patternProblem = (pattern: string): string | undefined => patternFault(pattern)?.message

const isParsed = (pattern: string): boolean => tryOr(() => parseCron(pattern, "UTC"), undefined) !== undefined
