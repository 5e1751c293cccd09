import type {StreamGap, StreamGapReason} from "../../shared/api/event-stream.ts"
import {quoted, resume} from "./cursor.ts"
import type {Envelopes} from "./envelope.ts"
import type {Filter} from "./filter.ts"
import type {EventLog, Extent, StoredEvent} from "./log.ts"

export interface HistoryPage {
  readonly extent: Extent
  readonly gap: StreamGap | null
  readonly items: readonly StoredEvent[]
  /** How far the page looked; undefined where it has reached the newest event. */
  readonly next: number | undefined
}

export interface HistoryRequest {
  readonly after: string | undefined
  readonly limit: number
  readonly filter: Filter
}

/** A page looks at so many events at most, however few of them its filter lets through. */
const longestLook = 1500

/**
 * The log as pages, oldest first: what comes after a cursor, or from the oldest event without one. A cursor that cannot be
 * continued exactly gives a gap, and the page begins with the oldest event that is kept.
 */
export const readHistory = async (
  events: EventLog,
  envelopes: Envelopes,
  epoch: string,
  {after, limit, filter}: HistoryRequest,
): Promise<HistoryPage> => {
  for (;;) {
    const extent = await events.extent()
    const start = resume(after, epoch, extent)
    const from = start.is === "resumed" ? start.after : extent.evictedTo
    const read = await collect(events, from, limit, filter)
    // Evicted while it was read: it is looked at anew.
    if (events.evictedTo > from) continue
    const isEnd = read.to >= extent.head
    return {
      extent,
      gap: start.is === "gap" ? gapOf(start.reason, after ?? "", envelopes.idOf(from)) : null,
      items: read.items,
      next: isEnd ? undefined : read.to,
    }
  }
}

const gapOf = (reason: StreamGapReason, cursor: string, to: string): StreamGap => ({
  reason,
  from: quoted(cursor),
  to,
  resumeAt: to,
})

const collect = async (events: EventLog, from: number, limit: number, filter: Filter) => {
  const items: StoredEvent[] = []
  let to = from
  for (let looked = 0; looked < longestLook && items.length < limit; ) {
    const found = await events.read(to, Math.min(500, filter === undefined ? limit - items.length : 500))
    looked += found.length
    for (const event of found) {
      if (items.length === limit) break
      to = event.offset
      if (filter?.(event) !== false) items.push(event)
    }
    if (found.length === 0) break
  }
  return {items, to}
}
