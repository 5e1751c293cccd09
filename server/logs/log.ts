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
  /** One JSON object a line, or lines for a terminal. */
  readonly format: "json" | "pretty"
  readonly colors: boolean
  /** Takes a line without its end. What it throws is told on standard error. */
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
  /** Hears of every record as JSON, of those too that were made before; returns how it ends. It must not log itself. */
  onRecord(listener: (json: string) => void): () => void
  /** Hears of every record of level error and fatal; it must not log at these levels itself. */
  onError(listener: Listener): void
  /** A text as the log would write it: without hidden values. */
  scrub(text: string): string
  /** The same of JSON, which stays JSON. */
  scrubJson(json: string): string
}

type Listener = (record: LogRecord) => void

/** Writes a record of level `level`: what the log of a caller knows, and what the caller says. */
type Write = (level: LogLevel, message: unknown, known: LogFields, said: LogFields) => void

/**
 * The log of a process. A call below the least level costs one comparison and touches nothing that it was given; any
 * other becomes one record, which is kept, written as one line, and heard. No call throws, whatever it is given.
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

/** A log whose calls carry `known`. The level of a call is looked at here, and nowhere after. */
const logWith = (known: LogFields, least: () => number, write: Write): Log => ({
  ...perLevel<Log[LogLevel]>(level => {
    const rank = rankOf(level)
    return (message, said = noFields) => {
      if (rank >= least()) write(level, message, known, said)
    }
  }),
  with: more => logWith({...known, ...more, ...known}, least, write),
})

/** Writes a record as a line of the format. A writer that throws costs the caller nothing. */
const printerOf = ({format, colors, write}: LogOptions, mask: Mask) => {
  const lineOf = (record: LogRecord, json: string) => (format === "json" ? shown(json) : formatPretty(record, colors))
  return (record: LogRecord, json: string): void => {
    try {
      write(lineOf(record, json))
    } catch (error) {
      // Not by the console, which may be this log.
      process.stderr.write(`a log record was not written: ${mask.text(inspect(error))}\n`)
    }
  }
}
