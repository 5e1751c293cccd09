import type {InboxDetail} from "../../../shared/api/messages.ts"
import type {Database, Row} from "../../database/database.ts"
import {textOrNull, timeOf} from "../../database/lists/pages.ts"
import type {EventLog} from "../../events/log.ts"
import type {StreamOptions} from "../../events/stream.ts"
import {readReplies} from "../../outbox/look-ups.ts"
import {viewMessage} from "../../outbox/part/view.ts"
import type {Logs} from "../../runtime/logs/log.ts"
import {readLogAbout} from "../../runtime/logs/page.ts"

export interface TrailServices {
  readonly database: Database
  readonly events: Pick<StreamOptions, "events" | "envelopes">
  readonly logs: Logs
  readonly logFolder: string
  readonly identity: {readonly runtimeId: string}
}

/** The highest number of events that an answer searches, and that one read returns. */
const longestLook = 20_000
const step = 2000

/** Also searches this many milliseconds around an event: clocks are set back, batches are stored after their times. */
const slack = 5000

const mostSent = 200

/** Everything that the Host knows about an event; `after` continues the search of the event log. */
export const readTrail = async (
  {database, events: {events, envelopes}, logs, logFolder, identity}: TrailServices,
  event: InboxDetail,
  after: number | undefined,
) => {
  const rows = await readReplies(database, event.seq, mostSent)
  const sent = rows.map(row => ({...viewMessage(row), handler: textOrNull(row.handler)}))
  const until = lastChange(event, rows)
  const found = await search(events, event, until, after)
  const kept = {folder: logFolder, current: identity.runtimeId}
  const times = {from: Date.parse(event.receivedAt) - slack, to: (until ?? Date.now()) + slack}
  const log = await readLogAbout(logs, kept, {event: event.seq, outbox: sent.map(({seq}) => seq), ...times})
  const now = new Date().toISOString()
  return {
    event,
    sent,
    events: {
      items: found.items.map(item => envelopes.envelope(item, "full")),
      from: timeOf(found.from),
      to: timeOf(found.to),
      isWhole: found.isWhole,
      next: found.next === undefined ? null : String(found.next),
    },
    logs: {
      items: log.items,
      from: log.keptFrom ?? null,
      to: log.keptFrom === undefined ? null : now,
      isWhole: log.keptFrom !== undefined && log.keptFrom <= event.receivedAt,
    },
  }
}

/** The time of the last change, in milliseconds since 1970; undefined while a handler or message is pending. */
const lastChange = ({receivedAt, marks}: InboxDetail, sent: readonly Row[]): number | undefined => {
  const ends = [...marks.map(({endedAt}) => endedAt && Date.parse(endedAt)), ...sent.map(({ended_at}) => ended_at)]
  if (ends.includes(null)) return undefined
  return Math.max(Date.parse(receivedAt), ...ends.map(Number))
}

/**
 * Finds the events about an inbox event, from its arrival, or from `after`, to its last change. There is no index,
 * which would cost each message: the log is in order of time, and only a small part is searched.
 */
const search = async (events: EventLog, {seq, receivedAt}: InboxDetail, until: number | undefined, after?: number) => {
  const {head, evictedTo} = await events.extent()
  const arrival = Date.parse(receivedAt)
  const start = Math.max(evictedTo, after ?? (await firstSince(events, evictedTo, head, arrival - slack)))
  const wanted =
    until === undefined || after !== undefined ? head : await firstSince(events, start, head, until + slack)
  const end = Math.min(wanted, start + longestLook)
  const items = []
  for (let from = start; from < end; from += step)
    items.push(...(await events.readAbout(seq, from, Math.min(end, from + step))))
  const oldest = await events.timeAfter(evictedTo)
  return {
    items,
    from: await events.timeAfter(start),
    to: end === start ? undefined : await events.timeAfter(end - 1),
    isWhole: evictedTo === 0 || (oldest !== undefined && oldest < arrival),
    next: end < head ? end : undefined,
  }
}

/** The offset before the first event, between two offsets, that is not older than a time. */
const firstSince = async (events: EventLog, low: number, high: number, at: number): Promise<number> => {
  if (low >= high) return high
  const middle = Math.floor((low + high) / 2)
  const time = await events.timeAfter(middle)
  return time !== undefined && time < at
    ? firstSince(events, middle + 1, high, at)
    : firstSince(events, low, middle, at)
}
