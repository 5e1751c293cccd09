import {inspect, styleText} from "node:util"
import {formatIssue, Problem} from "../../shared/problems.ts"

/** One log record as it is written and shown. */
export type LogRecord = {
  readonly time: string
  readonly level: string
  readonly message: string
} & {readonly [field: string]: unknown}

interface Raw {
  readonly message?: unknown
  readonly _logMeta?: {readonly date: Date | string; readonly logLevelName: string}
}

/**
 * A record in the order of its meaning, as plain JSON data: an error becomes its name, message, stack and causes, and
 * what JSON cannot hold becomes text.
 */
export const toRecord = (raw: object): LogRecord => {
  const {_logMeta: meta, message, ...fields} = raw as Raw & Record<string, unknown>
  const plain = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, describe(value)]))
  return {
    time: new Date(meta?.date ?? 0).toISOString(),
    level: (meta?.logLevelName ?? "info").toLowerCase(),
    message: String(message ?? ""),
    ...plain,
  }
}

export const formatJson = (record: LogRecord): string => JSON.stringify(record)

const colors: Record<string, Parameters<typeof styleText>[0]> = {
  silly: "gray",
  trace: "gray",
  debug: "gray",
  info: "green",
  warn: "yellow",
  error: "red",
  fatal: "red",
}

/** Fields that a person at a terminal knows already. */
const known = new Set(["time", "level", "message", "project", "runtimeId", "generation", "error"])

const indent = " ".repeat(9)

/** Text that cannot move the cursor, nor begin a line that looks like a record. */
const onTerminal = (text: string): string =>
  text
    .replaceAll("\n", `\n${indent}`)
    .replace(
      /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g,
      character => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
    )

/** `12:00:01 info  message  key=value` */
export const formatPretty = (record: LogRecord, inColor: boolean): string => {
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    inColor ? styleText(style, text, {validateStream: false}) : text
  const fields = Object.entries(record)
    .filter(([name, value]) => !known.has(name) && value !== undefined)
    .map(([name, value]) =>
      paint("gray", onTerminal(`${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)),
    )
  const head = [
    paint("gray", new Date(record.time).toTimeString().slice(0, 8)),
    paint(colors[record.level] ?? "white", record.level.padEnd(5)),
    onTerminal(record.message),
    ...fields,
  ].join(" ")
  const error = record.error
  if (typeof error !== "object" || error === null) return head
  return [head, ...errorLines(error as DescribedError).map(line => paint("gray", `${indent}${onTerminal(line)}`))].join(
    "\n",
  )
}

interface DescribedError {
  readonly name: string
  readonly message: string
  readonly code?: string
  readonly issues?: readonly string[]
  readonly stack?: readonly string[]
  readonly cause?: unknown
}

/** How many causes of an error are followed. */
const deepest = 5

const describe = (value: unknown, depth = 0): unknown => {
  if (!(value instanceof Error)) return isJson(value) ? value : inspect(value, {depth: 4, breakLength: Infinity})
  const code = "code" in value && typeof value.code === "string" ? value.code : undefined
  const described: DescribedError = {
    name: value.name,
    message: value.message,
    ...(code === undefined ? {} : {code}),
    ...(value instanceof Problem && value.issues.length > 0 ? {issues: value.issues.map(formatIssue)} : {}),
    stack: frames(value),
    ...(value.cause === undefined || depth >= deepest ? {} : {cause: describe(value.cause, depth + 1)}),
  }
  return described
}

const isJson = (value: unknown): boolean => {
  if (typeof value !== "object" || value === null) return typeof value !== "bigint"
  try {
    JSON.stringify(value)
    return true
  } catch {
    return false
  }
}

const frames = (error: Error): readonly string[] =>
  (error.stack ?? "")
    .split("\n")
    .filter(line => line.trimStart().startsWith("at "))
    .map(line => line.trim())
    .slice(0, 12)

const errorLines = (error: DescribedError): string[] => [
  ...(error.issues ?? []),
  ...(error.issues === undefined ? (error.stack ?? []).slice(0, 5) : []),
  ...(typeof error.cause === "object" && error.cause !== null && "message" in error.cause
    ? [`caused by: ${error.cause.message}`]
    : []),
]
