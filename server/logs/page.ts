import {fromJson} from "../../shared/json.ts"
import type {HistoryFilter, Kept} from "./history.ts"
import type {Logs} from "./log.ts"
import type {LogRecord} from "./record.ts"

export interface LogRequest {
  readonly filter: HistoryFilter
  readonly limit: number
  /** Records below this number, newest first. */
  readonly cursor?: number | undefined
  /** `<runtimeId>-<number>`: the records after this one, oldest first. */
  readonly after?: string | undefined
}

type Missed = {readonly reason: "evicted" | "restarted"; readonly records: number | null} | null

export interface LogRecords {
  readonly items: readonly (LogRecord & {readonly id: string})[]
  readonly next: string | null
  readonly head: string
  readonly missed: Missed
}

/** A page of the newest records; or what came after one, and what of that is gone. */
export const readLog = (logs: Logs, runtimeId: string, request: LogRequest): LogRecords =>
  request.after === undefined
    ? readNewest(logs, runtimeId, request)
    : readAfter(logs, runtimeId, request, request.after)

/** The records that are about an inbox event or one of the outbox messages, oldest first; and since when records are kept. */
export const readLogAbout = (
  logs: Logs,
  runtimeId: string,
  about: {readonly event: number; readonly outbox: readonly number[]},
): {readonly items: LogRecords["items"]; readonly keptFrom: string | undefined} => {
  const found = logs.history.about({event: new Set([about.event]), outbox: new Set(about.outbox)})
  const view = show(logs, runtimeId)
  const [oldest] = logs.history.above(0, {level: "silly", plugin: undefined}, 1)
  return {items: found.map(view), keptFrom: oldest === undefined ? undefined : view(oldest).time}
}

const idOf = (runtimeId: string, seq: number): string => `${runtimeId}-${seq}`

/** What has become a secret since is hidden here. */
const show =
  (logs: Logs, runtimeId: string) =>
  ({seq, json}: Kept): LogRecord & {readonly id: string} => ({
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

/** The number to go on from, and what lies between. A number that this run has not reached is of another one. */
const findStart = (
  {history}: Logs,
  runtimeId: string,
  after: string,
): {readonly from: number; readonly missed: Missed} => {
  const split = after.lastIndexOf("-")
  const seq = Number(after.slice(split + 1))
  if (after.slice(0, split) !== runtimeId || seq > history.last) {
    return {from: 0, missed: {reason: "restarted", records: null}}
  }
  const gone = history.oldest - seq - 1
  return {from: seq, missed: gone > 0 ? {reason: "evicted", records: gone} : null}
}
