import {inspect} from "node:util"
import {Logger} from "tslog"
import {toExactJson} from "../../../shared/json.ts"
import {type Log, type LogFields, type LogLevel, logLevels, rankOf} from "../../../shared/log.ts"
import {shownJson} from "../../../shared/shown.ts"
import {prettyFormat} from "./format.ts"
import {History} from "./history.ts"
import {Mask} from "./mask.ts"
import {Describer} from "./plain.ts"
import {type LogCall, type LogRecord, makeRecord, noFields} from "./record.ts"

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
  /** Passes every record as JSON, earlier ones too. Returns a function that stops it. The listener must not log. */
  onRecord(listener: (json: string) => void): () => void
  /** Calls the listener with every record of level error and fatal. It must not log at these levels. */
  onError(listener: Listener): void
  /** Returns a text as the log would write it: without hidden values. */
  scrub(text: string): string
  /** The same for JSON, which stays valid. */
  scrubJson(json: string): string
}

type Listener = (record: LogRecord) => void

/** A call as it goes through tslog, which copies this object, and does not look into the call. */
interface Carried {
  readonly call: Pick<LogCall, "known" | "message" | "said">
}

/**
 * Creates the log of a process. tslog is its front: it decides on levels, with a sub-logger for each plugin.
 * Everything else is one transport: any call of at least the minimum level becomes one record, which is kept, written
 * as one line, and passed to the listeners. No call throws, whatever its arguments.
 */
export const createLogs = (options: LogOptions): Logs => {
  const mask = new Mask()
  const history = new History()
  const written = perLevel(() => 0)
  const listeners: Listener[] = []
  const readers = new Set<(json: string) => void>()
  const lineOf =
    options.format === "json" ? (_: LogRecord, json: string) => shownJson(json) : prettyFormat(options.colors)
  /** A writer or listener that fails affects neither the caller nor the others. */
  const safely = (work: () => void) => {
    try {
      work()
    } catch (error) {
      // The console, where tslog would report it, may be this log.
      process.stderr.write(`a log record was not passed on: ${mask.text(inspect(error))}\n`)
    }
  }
  const front = new Logger<Carried>({
    type: "hidden",
    minLevel: rankOf(options.level),
    stack: {capture: "off"},
    meta: {attachContext: false},
  })
  let bound = noFields
  front.attachTransport({
    name: "svc",
    // Without a format, tslog would render the call, neither masked nor bounded.
    format: () => "",
    write: ({call, _logMeta: {date = new Date(), logLevelId = 0} = {}}) => {
      const level = logLevels[logLevelId] ?? "silly"
      written[level]++
      const record = makeRecord({...call, date, level, bound}, new Describer(mask))
      const json = toExactJson(record)
      history.add(level, typeof record.plugin === "string" ? record.plugin : undefined, json)
      safely(() => options.write(lineOf(record, json)))
      for (const read of readers) safely(() => read(json))
      if (logLevelId >= rankOf("error")) for (const hear of listeners) safely(() => hear(record))
    },
  })
  return {
    log: logOver(front, front, noFields),
    history,
    written,
    setLevel: level => {
      front.setMinLevel(rankOf(level))
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
      listeners.push(listener)
    },
    scrub: text => mask.text(text),
    scrubJson: json => mask.json(json),
  }
}

const perLevel = <T>(make: (level: LogLevel) => T): Record<LogLevel, T> =>
  Object.fromEntries(logLevels.map(level => [level, make(level)])) as Record<LogLevel, T>

/** Returns the log of a logger whose calls carry `known`. A later level of `front` is that of all its sub-loggers. */
const logOver = (front: Logger<Carried>, logger: Logger<Carried>, known: LogFields): Log => ({
  ...perLevel<Log[LogLevel]>(level => {
    const rank = rankOf(level)
    return (message, said = noFields) => void logger.log(rank, level, {call: {known, message, said}})
  }),
  with: more => {
    const all = {...known, ...more, ...known}
    // A sub-logger takes 20 µs: too much for one of each event.
    if (typeof all.plugin !== "string" || all.plugin === known.plugin) return logOver(front, logger, all)
    const sub = logger.getSubLogger({name: all.plugin})
    Object.defineProperty(sub.settings, "minLevel", {get: () => front.settings.minLevel})
    return logOver(front, sub, all)
  },
})
