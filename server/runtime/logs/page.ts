import type {logOperations} from "../../../shared/api/operations/host.ts"
import type {AnswerOf, Unchanging} from "../../../shared/api/operations/operation.ts"
import {fromJson, toJson} from "../../../shared/json.ts"
import {Problem} from "../../../shared/problems.ts"
import type {HistoryFilter, Kept} from "./history.ts"
import type {Logs} from "./log.ts"
import {listRuns, type NumberedRecord, readRun, readRunsAbout} from "./read-runs.ts"
import type {LogRecord} from "./record.ts"

export interface LogRequest {
  readonly filter: HistoryFilter
  readonly limit: number
  /** Only records below this number, newest first. */
  readonly cursor?: number | undefined
  /** `<runtimeId>-<number>`: only the records after this one, oldest first. */
  readonly after?: string | undefined
}

/** An earlier run whose log to read. */
export interface EarlierRun {
  /** The folder with the logs of runs. */
  readonly folder: string
  /** A runtimeId, or `previous`. */
  readonly run: string
  /** The run in progress, if any. */
  readonly current?: string | undefined
}

/** Returns a page of an earlier run's log, newest first. Throws `log_unknown`. */
export const readEarlierLog = async (
  logs: Pick<Logs, "scrubJson">,
  {folder, run, current}: EarlierRun,
  {filter, limit, cursor}: Omit<LogRequest, "after">,
): Promise<LogRecords> => {
  const runtimeId = run === "previous" ? await previousOf(folder, current) : run
  const {items, next} = await readRun(folder, runtimeId, {filter, limit, below: cursor})
  return {
    items: items.map(record => scrubbed(logs, record)),
    next: next === undefined ? null : String(next),
    head: items[0]?.id ?? idOf(runtimeId, 0),
    missed: null,
  }
}

const previousOf = async (folder: string, current: string | undefined): Promise<string> => {
  const previous = (await listRuns(folder)).find(({runtimeId}) => runtimeId !== current)
  if (previous === undefined) throw new Problem("log_unknown", "no log of an earlier run is kept")
  return previous.runtimeId
}

type LogRecords = Unchanging<AnswerOf<typeof logOperations.list>>

/** Returns a page of the newest records; or the records after a given one, and how many of them are missing. */
export const readLog = (logs: Logs, runtimeId: string, request: LogRequest): LogRecords =>
  request.after === undefined
    ? readNewest(logs, runtimeId, request)
    : readAfter(logs, runtimeId, request, request.after)

/** An inbox event and outbox messages, by their numbers. */
export interface LogAbout {
  readonly event: number
  readonly outbox: readonly number[]
  /** When their records may have been written, in milliseconds since 1970. */
  readonly from: number
  readonly to: number
}

/** Returns records about an event or its messages, oldest first, of all runs, and since when records are kept. */
export const readLogAbout = async (
  logs: Logs,
  {folder, current}: {readonly folder: string; readonly current: string},
  {event, outbox, from, to}: LogAbout,
): Promise<{readonly items: LogRecords["items"]; readonly keptFrom: string | undefined}> => {
  const numbers = {event: new Set([event]), outbox: new Set(outbox)}
  const [runs, earlier] = await Promise.all([
    listRuns(folder),
    readRunsAbout(folder, numbers, {from, to, except: current}),
  ])
  const own = logs.history.about(numbers).map(show(logs, current))
  const [first] = logs.history.above(0, {level: "silly", plugin: undefined}, 1)
  const oldest = runs.filter(({runtimeId}) => runtimeId !== current).at(-1)
  const keptFrom = oldest && new Date(oldest.isCut ? oldest.writtenAt : oldest.startedAt).toISOString()
  return {
    items: [...earlier.map(record => scrubbed(logs, record)), ...own],
    keptFrom: keptFrom ?? (first && show(logs, current)(first).time),
  }
}

/** Hides values that have become secrets since. */
const scrubbed = (logs: Pick<Logs, "scrubJson">, {seq: _, ...record}: NumberedRecord): LogRecords["items"][number] =>
  fromJson(logs.scrubJson(toJson(record))) as LogRecords["items"][number]

const idOf = (runtimeId: string, seq: number): string => `${runtimeId}-${seq}`

/** Hides values that have become secrets since. */
const show =
  (logs: Logs, runtimeId: string) =>
  ({seq, json}: Kept): LogRecords["items"][number] => ({
    id: idOf(runtimeId, seq),
    ...(fromJson(logs.scrubJson(json)) as LogRecord),
  })

const readNewest = (logs: Logs, runtimeId: string, {filter, limit, cursor}: LogRequest): LogRecords => {
  const {history} = logs
  const found = history.below(cursor ?? Number.MAX_SAFE_INTEGER, filter, limit + 1)
  const shown = found.slice(0, limit)
  const last = shown.at(-1)
  return {
    items: shown.map(show(logs, runtimeId)),
    next: found.length > limit && last !== undefined ? String(last.seq) : null,
    head: idOf(runtimeId, history.last),
    missed: null,
  }
}

const readAfter = (logs: Logs, runtimeId: string, {filter, limit}: LogRequest, after: string): LogRecords => {
  const {history} = logs
  const {from, missed} = findStart(logs, runtimeId, after)
  const found = history.above(from, filter, limit + 1)
  const shown = found.slice(0, limit)
  const isWhole = found.length === shown.length
  const head = idOf(runtimeId, isWhole ? history.last : (shown.at(-1)?.seq ?? from))
  return {items: shown.map(show(logs, runtimeId)), next: isWhole ? null : head, head, missed}
}

/** Returns the number to continue from, and what is missing before it. A number not reached yet is another run's. */
const findStart = (
  {history}: Logs,
  runtimeId: string,
  after: string,
): {readonly from: number; readonly missed: LogRecords["missed"]} => {
  const split = after.lastIndexOf("-")
  const seq = Number(after.slice(split + 1))
  if (after.slice(0, split) !== runtimeId || seq > history.last) {
    return {from: 0, missed: {reason: "restarted", records: null}}
  }
  const gone = history.oldest - seq - 1
  return {from: seq, missed: gone > 0 ? {reason: "evicted", records: gone} : null}
}
