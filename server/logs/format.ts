import {styleText} from "node:util"
import {fullCoreFeatures, Logger} from "tslog"
import {toJson} from "../../shared/json.ts"
import {logLevels} from "../../shared/log.ts"
import {shown} from "../../shared/shown.ts"
import type {LogRecord} from "./record.ts"

const pretty = {
  template: "{{hh}}:{{MM}}:{{ss}} {{logLevelName}} ",
  timeZone: "local",
  styles: {
    hh: "blackBright",
    MM: "blackBright",
    ss: "blackBright",
    logLevelName: {"*": "blackBright", info: "green", warn: "yellow", error: "red", fatal: "red"},
  },
} as const

/** tslog's own settings for a line in color and without. */
const styled = new Logger({type: "hidden", pretty: {...pretty, style: true}}).settings
const plain = new Logger({type: "hidden", pretty: {...pretty, style: false}}).settings

/** Fields that a person at a terminal does not need. */
const known = new Set(["id", "time", "level", "message", "project", "runtimeId", "generation", "error"])

const indent = " ".repeat(9)

/** Returns text that cannot move the cursor or begin a line that looks like a record. */
const onTerminal = (text: string): string => shown(text).replaceAll("\n", `\n${indent}`)

/**
 * Formats `12:00:01 info message key=value`, and an error below it. The record may be from a Host of another version.
 */
export const formatPretty = (record: LogRecord, inColor: boolean): string => {
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    inColor ? styleText(style, text, {validateStream: false}) : text
  const fields = Object.entries(record)
    .filter(([name, value]) => !known.has(name) && value !== undefined)
    .map(([name, value]) => paint("gray", onTerminal(`${name}=${formatValue(value)}`)))
  const head = `${headOf(record, inColor)}${[onTerminal(record.message), ...fields].join(" ")}`
  return [head, ...errorLines(record.error).map(line => paint("gray", `${indent}${onTerminal(line)}`))].join("\n")
}

/** Returns time and level in tslog's pretty form. */
const headOf = ({time, level}: LogRecord, inColor: boolean): string => {
  const logLevelId = (logLevels as readonly string[]).indexOf(level)
  const settings = inColor && logLevelId >= 0 ? styled : plain
  const meta = {date: new Date(time), logLevelId, logLevelName: onTerminal(level.padEnd(5)), runtime: ""}
  return fullCoreFeatures.buildPrettyMetaText?.(settings, meta) ?? ""
}

const formatValue = (value: unknown): string => (typeof value === "string" ? value : toJson(value))

/**
 * Returns the lines of the field `error`: the issues, or the first frames, and the cause. A plugin may put any value
 * there.
 */
const errorLines = (error: unknown): readonly string[] => {
  if (typeof error === "string") return [error]
  if (typeof error !== "object" || error === null) return []
  const issues = "issues" in error ? textsIn(error.issues) : []
  const frames = issues.length === 0 && "stack" in error ? textsIn(error.stack).slice(0, 5) : []
  return [...issues, ...frames, ...("cause" in error ? causeLines(error.cause) : [])]
}

const textsIn = (list: unknown): readonly string[] =>
  Array.isArray(list) ? list.filter(item => typeof item === "string") : []

const causeLines = (cause: unknown): readonly string[] =>
  typeof cause === "object" && cause !== null && "message" in cause ? [`caused by: ${formatValue(cause.message)}`] : []
