import {styleText} from "node:util"
import {fullCoreFeatures, Logger} from "tslog"
import {toJson} from "../../../shared/json.ts"
import {logLevels} from "../../../shared/log.ts"
import {fieldsOf} from "../../../shared/sdk/session/values.ts"
import {shown} from "../../../shared/shown.ts"
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

/** Fields that a person at a terminal does not need. */
const known = new Set(["id", "time", "level", "message", "project", "runtimeId", "generation", "error"])

const indent = " ".repeat(9)

/** Returns text that cannot move the cursor or begin a line that looks like a record. */
const onTerminal = (text: string): string => shown(text).replaceAll("\n", `\n${indent}`)

/** A line is `12:00:01 info message key=value`, with an error below it. The record may be another version's. */
export const prettyFormat = (inColor: boolean): ((record: LogRecord) => string) => {
  const settingsOf = (style: boolean) => new Logger({type: "hidden", pretty: {...pretty, style}}).settings
  const plain = settingsOf(false)
  const styled = settingsOf(inColor)
  const gray = (text: string) => (inColor ? styleText("gray", text, {validateStream: false}) : text)
  return record => {
    const logLevelId = (logLevels as readonly string[]).indexOf(record.level)
    const meta = {
      date: new Date(record.time),
      logLevelId,
      logLevelName: onTerminal(record.level.padEnd(5)),
      runtime: "",
    }
    const head = fullCoreFeatures.buildPrettyMetaText?.(logLevelId < 0 ? plain : styled, meta) ?? ""
    const fields = Object.entries(record)
      .filter(([name, value]) => !known.has(name) && value !== undefined)
      .map(([name, value]) => gray(onTerminal(`${name}=${formatValue(value)}`)))
    const line = `${head}${[onTerminal(record.message), ...fields].join(" ")}`
    return [line, ...errorLines(record.error).map(each => gray(`${indent}${onTerminal(each)}`))].join("\n")
  }
}

const formatValue = (value: unknown): string => (typeof value === "string" ? value : toJson(value))

/** Returns the lines of the field `error`: issues, or first frames, and the cause. A plugin may put anything there. */
const errorLines = (error: unknown): readonly string[] => {
  if (typeof error === "string") return [error]
  const {issues: all, stack, cause} = fieldsOf(error)
  const issues = textsIn(all)
  const frames = issues.length === 0 ? textsIn(stack).slice(0, 5) : []
  const why = fieldsOf(cause).message
  return [...issues, ...frames, ...(why === undefined ? [] : [`caused by: ${formatValue(why)}`])]
}

const textsIn = (list: unknown): readonly string[] =>
  Array.isArray(list) ? list.filter(item => typeof item === "string") : []
