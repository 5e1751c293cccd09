import type {Transport} from "tslog"
import {Logger} from "tslog/slim"
import {type Log, type LogFields, type LogLevel, logLevels} from "../../shared/log.ts"
import {formatJson, formatPretty, type LogRecord, toRecord} from "./format.ts"

export interface LogOptions {
  readonly level: LogLevel
  /** One JSON object a line, or lines for a terminal. */
  readonly format: "json" | "pretty"
  readonly colors: boolean
  readonly write: (line: string) => void
}

export interface Logs {
  readonly log: Log
  setLevel(level: LogLevel): void
  /** Fields of every record from now on: project, runtimeId, generation. */
  bind(fields: LogFields): void
  /** Values that must not appear in any record from now on. */
  hide(secrets: readonly string[]): void
  /** How many records of each level were written. */
  readonly written: Readonly<Record<LogLevel, number>>
  /** The newest records, oldest first. */
  recent(): readonly LogRecord[]
}

/** Records that stay readable over the API. */
const kept = 1000

/** Shorter values are not hidden: they occur by chance. */
const shortestSecret = 8

export const createLogs = (options: LogOptions): Logs => {
  const hidden = new Map<string, readonly string[]>()
  // As text: half of what the objects take, and nobody changes them afterwards.
  const records: string[] = []
  const logger = new Logger<LogRecord>({type: "hidden", minLevel: levelId(options.level), stack: {capture: "off"}})
  const written = Object.fromEntries(logLevels.map(level => [level, 0])) as Record<LogLevel, number>
  let bound: LogFields = {}
  const scrub = (line: string) => {
    for (const forms of hidden.values()) for (const form of forms) line = line.replaceAll(form, "[secret]")
    return line
  }
  const output: Transport<LogRecord> = {
    name: "output",
    format: raw => {
      const record = toRecord(raw)
      written[record.level as LogLevel]++
      const json = formatJson(record)
      if (records.push(json) > kept) records.shift()
      return scrub(options.format === "json" ? json : formatPretty(record, options.colors))
    },
    write: (_, line) => options.write(line),
  }
  logger.attachTransport(output)
  const withFields = (fields: LogFields): Log => {
    const record =
      (level: LogLevel) =>
      (message: string, more: LogFields = {}) => {
        logger.log(levelId(level), level.toUpperCase(), {...bound, ...fields, ...more, message} as never)
      }
    return {
      ...(Object.fromEntries(logLevels.map(level => [level, record(level)])) as Record<
        LogLevel,
        (message: string) => void
      >),
      with: more => withFields({...fields, ...more}),
    }
  }
  return {
    log: withFields({}),
    written,
    setLevel: level => logger.setMinLevel(levelId(level)),
    bind: fields => {
      bound = {...bound, ...fields}
    },
    hide: secrets => {
      for (const secret of secrets) if (secret.length >= shortestSecret) hidden.set(secret, formsOf(secret))
    },
    recent: () => records.map(record => JSON.parse(scrub(record)) as LogRecord),
  }
}

const levelId = (level: LogLevel) => logLevels.indexOf(level)

/** A secret as it may stand in a line: raw, JSON-escaped, URL-encoded, base64. */
const formsOf = (secret: string): readonly string[] => [
  ...new Set([
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    Buffer.from(secret).toString("base64").replace(/=+$/, ""),
  ]),
]
