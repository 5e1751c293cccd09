import {toExactJson} from "../../../shared/json.ts"
import type {LogFields, LogLevel} from "../../../shared/log.ts"
import {tryOr} from "../../../shared/try-or.ts"
import {whatIsAround} from "../flow/around.ts"
import type {Describer} from "./plain.ts"

/** One log record as it is written and shown: plain JSON data. */
export type LogRecord = {
  readonly time: string
  readonly level: string
  readonly message: string
} & {readonly [field: string]: unknown}

/** A call of the log, with everything that is known about it. */
export interface LogCall {
  readonly date: Date
  readonly level: LogLevel
  /** A text, according to the types. Plugins may pass any value. */
  readonly message: unknown
  readonly bound: LogFields
  /** Fields of this log, from `with`. */
  readonly known: LogFields
  /** Fields from the caller. */
  readonly said: LogFields
}

export const noFields: LogFields = Object.freeze({})

/** Fields that only the log itself sets. A caller's field with one of these names gets an underscore in front. */
const own = new Set(["time", "level", "message"])

/**
 * Returns the record of a call: time, level and message first, then what is known about the caller, then what the
 * caller says. A field never replaces an earlier one: it gets an underscore in front of its name. Never throws.
 */
export const makeRecord = ({date, level, message, bound, known, said}: LogCall, describer: Describer): LogRecord => {
  const record: Record<string, unknown> & {time: string; level: string; message: string} = {
    time: date.toISOString(),
    level,
    message: typeof message === "string" ? describer.text(message) : wordsOf(message, describer),
  }
  for (const fields of [bound, known, aroundOf(known), said]) addFields(record, fields, describer)
  if (isError(message)) addFields(record, {error: message}, describer)
  return record
}

/** A proxy may throw when inspected. */
const isError = (value: unknown): value is Error => tryOr(() => value instanceof Error, false)

/** Returns the words of a message that is not text: an error's message, or else the value as JSON. */
const wordsOf = (value: unknown, describer: Describer): string => {
  if (isError(value)) return String(describer.field("message", () => value.message))
  const plain = describer.value(value)
  return typeof plain === "object" && plain !== null ? toExactJson(plain) : String(plain)
}

/** Returns the surrounding fields if the log belongs to the same plugin. */
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
    else if (own.has(key) || record[key] !== value) record[`_${key}`] = value
  }
}

/** Returns no names if a proxy throws when its fields are listed. */
const namesOf = (fields: LogFields): readonly string[] => tryOr(() => Object.keys(fields), [])
