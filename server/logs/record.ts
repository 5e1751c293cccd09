import {toExactJson} from "../../shared/json.ts"
import type {LogFields, LogLevel} from "../../shared/log.ts"
import {whatIsAround} from "./around.ts"
import type {Describer} from "./plain.ts"

/** One log record as it is written and shown: plain JSON data. */
export type LogRecord = {
  readonly time: string
  readonly level: string
  readonly message: string
} & {readonly [field: string]: unknown}

/** A call of the log, with all that is known beside what the caller says. */
export interface LogCall {
  readonly level: LogLevel
  /** A text, as the types ask; plugins may pass anything. */
  readonly message: unknown
  /** Fields of every record. */
  readonly bound: LogFields
  /** Fields of this log, from `with`. */
  readonly known: LogFields
  /** What the caller says. */
  readonly said: LogFields
}

export const noFields: LogFields = Object.freeze({})

/** What only the log itself says: a field of that name is written with an underscore before it. */
const own = new Set(["time", "level", "message"])

/**
 * The record of a call: time, level and message first, then what is known of the caller, then what the caller says. A
 * later field replaces no earlier one: it is written with an underscore before its name. Never throws.
 */
export const makeRecord = ({level, message, bound, known, said}: LogCall, describer: Describer): LogRecord => {
  const record: Record<string, unknown> & {time: string; level: string; message: string} = {
    time: new Date().toISOString(),
    level,
    message: typeof message === "string" ? describer.text(message) : wordsOf(message, describer),
  }
  for (const fields of [bound, known, aroundOf(known), said]) addFields(record, fields, describer)
  if (isError(message)) addFields(record, {error: message}, describer)
  return record
}

/** A proxy may refuse to be asked. */
const isError = (value: unknown): value is Error => {
  try {
    return value instanceof Error
  } catch {
    return false
  }
}

/** Of what is no text: an error's message, else the value as JSON. */
const wordsOf = (value: unknown, describer: Describer): string => {
  if (isError(value)) return String(describer.field("message", () => value.message))
  const plain = describer.value(value)
  return typeof plain === "object" && plain !== null ? toExactJson(plain) : String(plain)
}

/** What is around a call written for the log of the plugin that it belongs to, and for no other. */
const aroundOf = ({plugin}: LogFields): LogFields => {
  if (plugin === undefined) return noFields
  const around = whatIsAround()
  return around?.plugin === plugin ? around : noFields
}

const addFields = (record: Record<string, unknown>, fields: LogFields, describer: Describer): void => {
  if (fields === noFields || typeof fields !== "object" || fields === null) return
  for (const name of namesOf(fields)) {
    const value = describer.field(name, () => fields[name])
    if (value === undefined) continue
    const key = describer.text(name)
    if (!own.has(key) && !(key in record)) record[key] = value
    else if (!isKnown(record, key, value)) record[`_${key}`] = value
  }
}

/** A proxy may refuse to name its fields: then there are none. */
const namesOf = (fields: LogFields): readonly string[] => {
  try {
    return Object.keys(fields)
  } catch {
    return []
  }
}

const isKnown = (record: Record<string, unknown>, name: string, value: unknown): boolean =>
  !own.has(name) && record[name] === value
