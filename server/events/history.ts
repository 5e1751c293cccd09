import type {StreamGap, StreamGapReason} from "../../shared/events/event-stream.ts"
import {type Envelopes, quoted, resume} from "./envelope.ts"
import type {Filter} from "./filter.ts"
import type {EventLog, StoredEvent} from "./log.ts"

export interface HistoryRequest {
  readonly after: string | undefined
  readonly limit: number
  readonly filter: Filter
}

/** The most events that a page looks at, even if its filter accepts few of them. */
const longestLook = 1500

/**
 * Returns the log in pages, oldest first: the events behind a cursor, or from the oldest event without one. If a cursor
 * cannot be continued exactly, returns a gap and a page from the oldest kept event.
 */
export const readHistory = async (
  events: EventLog,
  envelopes: Envelopes,
  epoch: string,
  {after, limit, filter}: HistoryRequest,
) => {
  for (;;) {
    const extent = await events.extent()
    const start = resume(after, epoch, extent)
    const from = start.is === "resumed" ? start.after : extent.evictedTo
    const read = await collect(events, from, limit, filter)
    // The events were deleted while they were read: read again.
    if (events.evictedTo > from) continue
    const isEnd = read.to >= extent.head
    return {
      extent,
      gap: start.is === "gap" ? gapOf(start.reason, after ?? "", envelopes.idOf(from)) : null,
      items: read.items,
      /** Where the next page begins; undefined if this page has reached the newest event. */
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
