import {Logger} from "tslog/slim"
import {type Log, type LogFields, type LogLevel, logLevels} from "../../shared/log.ts"
import {whatIsAround} from "./around.ts"
import {formatPretty} from "./format.ts"
import {History} from "./history.ts"
import {Mask} from "./mask.ts"
import {Describer} from "./plain.ts"
import type {LogRecord} from "./record.ts"

export interface LogOptions {
  readonly level: LogLevel
  /** One JSON object a line, or lines for a terminal. */
  readonly format: "json" | "pretty"
  readonly colors: boolean
  readonly write: (line: string) => void
}

export interface Logs {
  readonly log: Log
  /** The newest records of this run. */
  readonly history: History
  setLevel(level: LogLevel): void
  /** Fields of every record from now on: project, runtimeId, generation. */
  bind(fields: LogFields): void
  /** Values that must not appear in any record from now on, nor in what `scrub` is given. */
  hide(secrets: readonly string[]): void
  /** How many records of each level were written. */
  readonly written: Readonly<Record<LogLevel, number>>
  /** Hears of every record of level error and fatal; it must not log at these levels itself. */
  onError(listener: (record: LogRecord) => void): void
  /** A text as the log would write it: without hidden values. */
  scrub(text: string): string
  /** The same of JSON, which stays JSON. */
  scrubJson(json: string): string
}

interface Prepared {
  readonly level: LogLevel
  readonly record: LogRecord
}

const noFields: LogFields = Object.freeze({})

/** What only the log itself says: a field of that name is written with an underscore before it. */
const own = new Set(["time", "level", "message"])

export const createLogs = (options: LogOptions): Logs => {
  const mask = new Mask()
  const history = new History()
  const written = Object.fromEntries(logLevels.map(level => [level, 0])) as Record<LogLevel, number>
  const logger = new Logger<Prepared>({type: "hidden", minLevel: levelId(options.level), stack: {capture: "off"}})
  let least = levelId(options.level)
  let bound: LogFields = noFields
  const listeners: ((record: LogRecord) => void)[] = []
  logger.attachTransport({
    name: "output",
    format: raw => {
      const {level, record} = raw as unknown as Prepared
      const json = JSON.stringify(record)
      history.add(level, typeof record.plugin === "string" ? record.plugin : undefined, json)
      return options.format === "json" ? json : formatPretty(record, options.colors)
    },
    write: (_, line) => options.write(line),
  })
  const write = (level: LogLevel, message: string, fields: LogFields, more: LogFields) => {
    written[level]++
    const describer = new Describer(mask)
    const record: Record<string, unknown> = {
      time: new Date().toISOString(),
      level,
      message: typeof message === "string" ? describer.text(message) : textOf(message, describer),
    }
    // What is known of the caller stands before what the caller says, and is not replaced by it.
    for (const known of [bound, fields, aroundOf(fields), more]) addFields(record, known, describer)
    if (isError(message)) addFields(record, {error: message}, describer)
    logger.log(levelId(level), level.toUpperCase(), {level, record: record as LogRecord} as never)
    if (level === "error" || level === "fatal") for (const hear of listeners) hear(record as LogRecord)
  }
  const withFields = (fields: LogFields): Log => {
    const at =
      (level: LogLevel) =>
      (message: string, more: LogFields = noFields) => {
        if (levelId(level) >= least) write(level, message, fields, more)
      }
    return {
      ...(Object.fromEntries(logLevels.map(level => [level, at(level)])) as Record<LogLevel, Log[LogLevel]>),
      with: more => withFields({...fields, ...more, ...fields}),
    }
  }
  return {
    log: withFields(noFields),
    history,
    written,
    setLevel: level => {
      least = levelId(level)
      logger.setMinLevel(least)
    },
    bind: fields => {
      bound = {...bound, ...fields}
    },
    hide: secrets => mask.hide(secrets),
    onError: listener => void listeners.push(listener),
    scrub: text => mask.text(text),
    scrubJson: json => mask.json(json),
  }
}

const isError = (value: unknown): value is Error => value instanceof Error

/** Of what is no text, though the types ask for one: an error's message, else the value as JSON. */
const textOf = (value: unknown, describer: Describer): string => {
  if (isError(value)) return String(describer.field("message", () => value.message))
  const plain = describer.value(value)
  return typeof plain === "object" && plain !== null ? JSON.stringify(plain) : String(plain)
}

const levelId = (level: LogLevel): number => logLevels.indexOf(level)

/** What is around a call written for the log of the plugin that it belongs to, and for no other. */
const aroundOf = ({plugin}: LogFields): LogFields => {
  if (plugin === undefined) return noFields
  const around = whatIsAround()
  return around?.plugin === plugin ? around : noFields
}

const addFields = (record: Record<string, unknown>, fields: LogFields, describer: Describer): void => {
  if (fields === noFields || typeof fields !== "object" || fields === null) return
  for (const name of Object.keys(fields)) {
    const value = describer.field(name, () => fields[name])
    if (value === undefined) continue
    const key = describer.text(name)
    if (!own.has(key) && !(key in record)) record[key] = value
    else if (!isKnown(record, key, value)) record[`_${key}`] = value
  }
}

const isKnown = (record: Record<string, unknown>, name: string, value: unknown): boolean =>
  !own.has(name) && record[name] === value
