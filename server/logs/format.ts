import {styleText} from "node:util"
import type {DescribedError, LogRecord} from "./record.ts"

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
const known = new Set(["id", "time", "level", "message", "project", "runtimeId", "generation", "error"])

const indent = " ".repeat(9)

/** Text that cannot move the cursor, nor begin a line that looks like a record. */
const onTerminal = (text: string): string =>
  text
    .replaceAll("\n", `\n${indent}`)
    .replace(
      /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029]/g,
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
  const {error} = record
  if (typeof error === "string") return `${head}\n${paint("gray", `${indent}${onTerminal(error)}`)}`
  if (typeof error !== "object" || error === null) return head
  return [head, ...errorLines(error as DescribedError).map(line => paint("gray", `${indent}${onTerminal(line)}`))].join(
    "\n",
  )
}

const errorLines = (error: DescribedError): string[] => [
  ...(error.issues ?? []),
  ...(error.issues === undefined ? (error.stack ?? []).slice(0, 5) : []),
  ...(typeof error.cause === "object" && error.cause !== null && "message" in error.cause
    ? [`caused by: ${error.cause.message}`]
    : []),
]
