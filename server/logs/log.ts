import {inspect} from "node:util"
import {toExactJson} from "../../shared/json.ts"
import {type Log, type LogFields, type LogLevel, logLevels, rankOf} from "../../shared/log.ts"
import {shown} from "../../shared/shown.ts"
import {formatPretty} from "./format.ts"
import {History} from "./history.ts"
import {Mask} from "./mask.ts"
import {Describer} from "./plain.ts"
import {type LogRecord, makeRecord, noFields} from "./record.ts"

export interface LogOptions {
  readonly level: LogLevel
  /** One JSON object per line, or lines for a terminal. */
  readonly format: "json" | "pretty"
  readonly colors: boolean
  /** Writes a line, given without its end. Its errors go to standard error. */
  readonly write: (line: string) => void
}

export interface Logs {
  readonly log: Log
  /** The newest records of this run. */
  readonly history: History
  setLevel(level: LogLevel): void
  /** Adds fields to every later record: project, runtimeId, generation. */
  bind(fields: LogFields): void
  /** Hides values from every later record and from the results of `scrub`. */
  hide(secrets: readonly string[]): void
  /** How many records of each level were written. */
  readonly written: Readonly<Record<LogLevel, number>>
  /**
   * Calls the listener with every record as JSON, including earlier ones. Returns a function that stops it. The
   * listener must not log.
   */
  onRecord(listener: (json: string) => void): () => void
  /** Calls the listener with every record of level error and fatal. It must not log at these levels. */
  onError(listener: Listener): void
  /** Returns a text as the log would write it: without hidden values. */
  scrub(text: string): string
  /** The same for JSON, which stays valid. */
  scrubJson(json: string): string
}

type Listener = (record: LogRecord) => void

/** Writes a record: the fields of the log, and what the caller says. */
type Write = (level: LogLevel, message: unknown, known: LogFields, said: LogFields) => void

/**
 * Creates the log of a process. A call below the minimum level costs one comparison and does not touch its arguments.
 * Any other call becomes one record, which is kept, written as one line, and passed to the listeners. No call throws,
 * whatever its arguments.
 */
export const createLogs = (options: LogOptions): Logs => {
  const mask = new Mask()
  const history = new History()
  const written = perLevel(() => 0)
  const listeners = perLevel<Listener[]>(() => [])
  const readers = new Set<(json: string) => void>()
  const print = printerOf(options, mask)
  let least = rankOf(options.level)
  let bound = noFields
  const write: Write = (level, message, known, said) => {
    written[level]++
    const record = makeRecord({level, message, bound, known, said}, new Describer(mask))
    const json = toExactJson(record)
    history.add(level, typeof record.plugin === "string" ? record.plugin : undefined, json)
    print(record, json)
    for (const read of readers) read(json)
    for (const hear of listeners[level]) hear(record)
  }
  return {
    log: logWith(noFields, () => least, write),
    history,
    written,
    setLevel: level => {
      least = rankOf(level)
    },
    bind: fields => {
      bound = {...bound, ...fields}
    },
    hide: secrets => mask.hide(secrets),
    onRecord: listener => {
      for (const {json} of history.above(0, {level: "silly", plugin: undefined}, history.last)) listener(json)
      readers.add(listener)
      return () => readers.delete(listener)
    },
    onError: listener => {
      listeners.error.push(listener)
      listeners.fatal.push(listener)
    },
    scrub: text => mask.text(text),
    scrubJson: json => mask.json(json),
  }
}

const perLevel = <T>(make: (level: LogLevel) => T): Record<LogLevel, T> =>
  Object.fromEntries(logLevels.map(level => [level, make(level)])) as Record<LogLevel, T>

/** Returns a log whose calls carry `known`. Only this function checks the level of a call. */
const logWith = (known: LogFields, least: () => number, write: Write): Log => ({
  ...perLevel<Log[LogLevel]>(level => {
    const rank = rankOf(level)
    return (message, said = noFields) => {
      if (rank >= least()) write(level, message, known, said)
    }
  }),
  with: more => logWith({...known, ...more, ...known}, least, write),
})

/** Writes a record as a line of the format. A failing writer does not affect the caller. */
const printerOf = ({format, colors, write}: LogOptions, mask: Mask) => {
  const lineOf = (record: LogRecord, json: string) => (format === "json" ? shown(json) : formatPretty(record, colors))
  return (record: LogRecord, json: string): void => {
    try {
      write(lineOf(record, json))
    } catch (error) {
      // The console may be this log, so this writes directly.
      process.stderr.write(`a log record was not written: ${mask.text(inspect(error))}\n`)
    }
  }
}
